internal import Foundation

/// What became of a model on a device after the download: for the host's records.
public struct ModelReport: Hashable, Sendable, Codable {
    public enum Outcome: String, Hashable, Sendable, Codable {
        case loaded
        case loadFailed = "load-failed"
        case specializationFailed = "specialization-failed"
        case corrupt
        case fallbackUsed = "fallback-used"
        case removed
    }

    public var model: String
    public var version: String
    /// As in `SAM3.h18p.aimodelc`.
    public var asset: String
    public var architecture: String
    public var outcome: Outcome
    public var errorDomain: String?
    public var errorCode: Int?
    public var osBuild: String?
    /// From the call to a model that is ready.
    public var coldLoadMilliseconds: Int?
    /// The device's opaque id; the host's where it is nil.
    public var device: String?

    public init(
        _ outcome: Outcome,
        of asset: InstalledAsset,
        in model: InstalledModel,
        errorDomain: String? = nil,
        errorCode: Int? = nil,
        coldLoadMilliseconds: Int? = nil
    ) {
        self.model = model.model
        version = model.version
        self.asset = asset.name
        architecture = model.record.architecture
        self.outcome = outcome
        self.errorDomain = errorDomain
        self.errorCode = errorCode
        osBuild = model.record.osBuild
        self.coldLoadMilliseconds = coldLoadMilliseconds
    }
}

extension ModelLibrary {
    /// The most reports that wait; beyond it the oldest are dropped.
    public static var waitingReports: Int { 100 }

    /// Puts a report into the queue, which outlives the process. Never throws and never waits for a network: a report
    /// is not worth a failure.
    public func report(_ report: ModelReport) {
        changeReports { $0.append(report) }
    }

    /// Sends what waits, in one request. What cannot be sent waits for the next time; what the host refuses as such
    /// is dropped. Call it when the network is idle.
    ///
    /// - Returns: the number of reports that the host has taken.
    @discardableResult
    public func sendReports(to host: ModelHost) async -> Int {
        let waiting = layout.read([ModelReport].self, at: layout.reportsPath) ?? []
        guard !waiting.isEmpty, let url = HostAddress.url(host.baseURL, path: "/reports") else { return 0 }
        let sent = waiting.map { report in
            var report = report
            report.device = report.device ?? host.device.identifier
            return report
        }
        guard let body = try? JSONEncoder().encode(sent) else { return 0 }
        var request = ExchangeRequest(
            url: url,
            fields: [("Content-Type", "application/json")],
            stallTimeout: options.stallTimeout
        )
        request.method = "POST"
        request.body = Array(body)
        let receiver = DocumentReceiver(limit: BodyAllowance.unwanted, options: options)
        do throws(DeliveryError) {
            try await Courier(host: host, options: options).send(request, receiver)
        } catch {
            // What the head says is enough.
            guard receiver.hasEnough else { return 0 }
        }
        let answer = receiver.answer
        guard let head = answer.head else { return 0 }
        let isTaken = head.status == 202
        // 404 and 405: this host takes no reports. The others say that these reports are no reports.
        guard isTaken || [400, 404, 405, 410, 413, 415].contains(head.status) else { return 0 }
        // Others may have come while these were under way.
        changeReports { $0.removeFirst(min($0.count, $0.starts(with: waiting) ? waiting.count : 0)) }
        return isTaken ? waiting.count : 0
    }

    private func changeReports(_ change: (inout [ModelReport]) -> Void) {
        guard let file = try? OpenFile(writing: layout.reportsPath + ".lock"), (try? file.lock(waiting: true)) == true
        else { return }
        var reports = layout.read([ModelReport].self, at: layout.reportsPath) ?? []
        change(&reports)
        reports.removeFirst(max(0, reports.count - Self.waitingReports))
        try? layout.write(reports, to: layout.reportsPath)
    }
}

extension LibraryLayout {
    var reportsPath: String { hidden + "/reports.json" }
}

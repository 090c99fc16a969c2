/// A model's record as JSON has it, before anything about it is believed.
struct ModelRecordDocument: Codable {
    var schemaVersion: JSONInteger<Int>
    var model: String?
    var channels: [String: ChannelDocument]?
    var withdrawals: [WithdrawalDocument]?

    struct ChannelDocument: Codable {
        var version: String
        var share: JSONInteger<Int>?
        var history: [PastDocument]?
    }

    struct PastDocument: Codable {
        var version: String
        var at: String
    }

    struct WithdrawalDocument: Codable {
        var version: String
        var architecture: String?
        var reason: String
        var replacement: String?
        var at: String

        /// As synthesized, but with null written out: "the whole version" and "nothing replaces it" are said.
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(version, forKey: .version)
            try container.encode(architecture, forKey: .architecture)
            try container.encode(reason, forKey: .reason)
            try container.encode(replacement, forKey: .replacement)
            try container.encode(at, forKey: .at)
        }
    }

    init(_ record: ModelRecord, model: ModelName?) {
        schemaVersion = JSONInteger(ModelRecord.schemaVersion)
        self.model = model?.text
        channels = Dictionary(
            uniqueKeysWithValues: record.channels.map { name, channel in
                (
                    name.text,
                    ChannelDocument(
                        version: channel.version.text,
                        share: JSONInteger(channel.share),
                        history: channel.history.map { PastDocument(version: $0.version.text, at: $0.at) }
                    )
                )
            }
        )
        withdrawals = record.withdrawals.map {
            WithdrawalDocument(
                version: $0.version.text,
                architecture: $0.architecture?.text,
                reason: $0.reason,
                replacement: $0.replacement?.text,
                at: $0.at
            )
        }
    }
}

extension ModelRecordDocument.ChannelDocument {
    func channel(at place: String) throws(RecordError) -> Channel {
        let share = share?.value ?? 100
        guard (1...100).contains(share) else { throw .shareOutOfRange(at: "\(place).share", share) }
        var past: [PastVersion] = []
        for (index, step) in (history ?? []).enumerated() {
            let place = "\(place).history[\(index)]"
            past.append(
                PastVersion(
                    version: try .read(step.version, at: "\(place).version"),
                    at: try moment(step.at, at: "\(place).at")
                )
            )
        }
        return Channel(version: try .read(version, at: "\(place).version"), share: share, history: past)
    }
}

extension ModelRecordDocument.WithdrawalDocument {
    func withdrawal(at place: String) throws(RecordError) -> Withdrawal {
        var withdrawn: Architecture?
        if let architecture {
            guard let parsed = Architecture(architecture) else {
                throw .invalid(at: "\(place).architecture", architecture, rule: "an architecture as in h18p")
            }
            withdrawn = parsed
        }
        var instead: Version?
        if let replacement { instead = try .read(replacement, at: "\(place).replacement") }
        return Withdrawal(
            version: try .read(version, at: "\(place).version"),
            architecture: withdrawn,
            reason: reason,
            replacement: instead,
            at: try moment(at, at: "\(place).at")
        )
    }
}

extension Version {
    fileprivate static func read(_ text: String, at place: String) throws(RecordError) -> Version {
        guard let version = Version(text) else {
            throw .invalid(at: place, text, rule: "a version as in 1.4.0")
        }
        return version
    }
}

private func moment(_ text: String, at place: String) throws(RecordError) -> String {
    guard Instant(text) != nil else {
        throw .invalid(at: place, text, rule: "a date and time as in 2026-12-01T09:30:00Z")
    }
    return text
}

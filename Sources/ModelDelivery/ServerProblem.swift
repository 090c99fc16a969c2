internal import Foundation

/// A refusal as a host words it: a problem document (RFC 9457), the problem's header, or neither.
struct ServerProblem: Sendable {
    private struct Document: Decodable {
        struct Portable: Decodable {
            var url: String?
            var size: UInt64?
        }
        var type: String?
        var detail: String?
        var title: String?
        var retryable: Bool?
        var architecture: String?
        var availableArchitectures: [String]?
        var portable: Portable?
        var minDeploymentVersion: String?
        var compatibleVersion: String?
        var reason: String?
        var replacement: String?
    }

    private let status: Int
    private let code: String?
    private let document: Document?
    private let retryAfter: Int?

    init(_ head: AnswerHead, body: [UInt8]) {
        status = head.status
        let isProblem = head["content-type"]?.lowercased().hasPrefix("application/problem+json") == true
        document = isProblem ? try? JSONDecoder().decode(Document.self, from: Data(body)) : nil
        code = head["aimodel-problem"] ?? document?.type.flatMap { $0.split(separator: "/").last.map(String.init) }
        retryAfter = head["retry-after"].flatMap { RetryAfter.seconds($0, now: head["date"].flatMap(RetryAfter.date)) }
    }

    /// A problem document decides; without one, the statuses that pass by themselves do.
    private var isRetryable: Bool {
        document?.retryable ?? (status == 408 || status == 429 || (status >= 500 && status != 501 && status != 505))
    }

    var error: DeliveryError {
        switch code {
        case "no-variant-for-architecture", "no-portable-variant":
            return .noVariantForArchitecture(
                architecture: document?.architecture ?? "portable",
                available: document?.availableArchitectures ?? [],
                portable: portable
            )
        case "requires-newer-os":
            return .requiresNewerOS(
                minimum: document?.minDeploymentVersion ?? "",
                compatibleVersion: document?.compatibleVersion
            )
        case "version-withdrawn", "variant-withdrawn":
            return .withdrawn(
                reason: document?.reason ?? "no reason was given",
                architecture: document?.architecture,
                replacement: document?.replacement
            )
        default:
            return .server(
                ServerFailure(
                    status: status,
                    code: code,
                    detail: document?.detail ?? document?.title ?? "no problem document came with it",
                    isRetryable: isRetryable,
                    retryAfter: retryAfter
                )
            )
        }
    }

    private var portable: PortableVariant? {
        guard let portable = document?.portable, let url = portable.url else { return nil }
        return PortableVariant(path: url, size: portable.size ?? 0)
    }

    /// Where it leads to try.
    var remedy: AttemptFailure.Remedy {
        // What was withdrawn was withdrawn everywhere: a mirror that has it still has not heard of it.
        if case .withdrawn = error { return .none }
        if isRetryable { return .again(after: retryAfter) }
        switch status {
        // Another host may have what this one lacks. That this one does not let us in, another is not asked about.
        case 404, 410: return .elsewhere
        default: return .none
        }
    }
}

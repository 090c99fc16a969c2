internal import Foundation
internal import Synchronization

/// Brings requests to a model's hosts: the common fields, redirects, retries, and the way to the next host.
struct Courier: Sendable {
    let host: ModelHost
    let options: DeliveryOptions
    let transport: any ExchangeTransport

    init(host: ModelHost, options: DeliveryOptions) {
        self.host = host
        self.options = options
        transport = options.seams.transport ?? SystemTransport.shared
    }

    /// Redirects in a row before it is called a circle.
    static let longestChain = 5

    /// Tries until it succeeds, or nothing helps any more.
    ///
    /// - Parameters:
    ///   - first: the host to begin with; counted round.
    ///   - gained: bytes that all attempts so far have brought; a greater number than before means progress.
    ///   - attempt: is given the base address of the host whose turn it is.
    func persist<Value>(
        startingAt first: Int = 0,
        gained: () -> UInt64 = { 0 },
        _ attempt: (URL) async throws(AttemptFailure) -> Value
    ) async throws(DeliveryError) -> Value {
        let bases = host.baseURLs
        var policy = RetryPolicy(options: options, hosts: bases.count, first: first)
        // What a host said tells more than that another could not be reached.
        var told: DeliveryError?
        while true {
            if Task.isCancelled { throw .cancelled }
            let before = gained()
            do throws(AttemptFailure) {
                return try await attempt(bases[policy.host])
            } catch {
                guard case .attempt(_, let delay) = policy.failed(error.remedy, gained: gained() > before) else {
                    guard error.remedy != .none, let told, told.tells > error.error.tells else { throw error.error }
                    throw told
                }
                if error.remedy == .elsewhere, error.error.tells > told?.tells ?? 0 { told = error.error }
                guard delay > .zero else { continue }
                do {
                    try await options.seams.sleep(delay)
                } catch {
                    throw .cancelled
                }
            }
        }
    }

    /// One request, redirects followed.
    ///
    /// - Throws: `AttemptFailure` for what came in the place of an answer; what the receiver throws, as it is.
    func send(_ request: ExchangeRequest, _ receiver: any AnswerReceiver) async throws(DeliveryError) {
        var request = request
        request.fields.append(("Accept-Encoding", "identity"))
        request.fields.append(("User-Agent", "ModelDelivery"))
        if let device = host.device.identifier { request.fields.append(("AIModel-Device", Self.escaped(device))) }
        let origin = request.url
        var authorization = host.authorization
        var status = 0
        for _ in 0...Self.longestChain {
            var sent = request
            if let authorization { sent.fields.append(("Authorization", authorization)) }
            let watch = RedirectWatch(receiver, options)
            do throws(DeliveryError) {
                try await transport.exchange(sent, watch)
            } catch {
                guard watch.hasEnough else { throw error }
            }
            guard let location = watch.location else { return }
            status = watch.status
            guard let next = URL(string: location, relativeTo: request.url)?.absoluteURL,
                let scheme = next.scheme?.lowercased(), scheme == "https" || scheme == request.url.scheme?.lowercased()
            else {
                throw .server(
                    ServerFailure(
                        status: status,
                        detail: "a redirect to \(location), which is no address that may be followed",
                        isRetryable: false
                    )
                )
            }
            // RFC 9110, section 15.4: credentials are for whom they were meant.
            if next.host != origin.host || next.port != origin.port || next.scheme != origin.scheme {
                authorization = nil
            }
            request.url = next
        }
        throw .server(ServerFailure(status: status, detail: "more than 5 redirects in a row", isRetryable: false))
    }

    /// A document of at most `limit` bytes.
    func document(
        _ path: String,
        query: [URLQueryItem] = [],
        limit: Int
    ) async throws(DeliveryError) -> [UInt8] {
        try await persist { base throws(AttemptFailure) in
            guard let url = HostAddress.url(base, path: path, query: query) else {
                throw AttemptFailure(.invalidRequest("\(base.absoluteString) and \(path) make no address"), .none)
            }
            let receiver = DocumentReceiver(limit: limit, options: options)
            let request = ExchangeRequest(
                url: url,
                fields: [("Accept", "application/json")],
                stallTimeout: options.stallTimeout
            )
            do throws(DeliveryError) {
                try await send(request, receiver)
            } catch {
                guard receiver.hasEnough else { throw AttemptFailure(error) }
            }
            let (head, body) = receiver.answer
            guard let head else { throw AttemptFailure(.network(NetworkFailure(.malformedAnswer, "no head"))) }
            guard head.status == 200 else {
                let problem = ServerProblem(head, body: body)
                throw AttemptFailure(problem.error, problem.remedy)
            }
            // A page that a network puts before itself until somebody signs in is a 200 too.
            guard head["content-type"]?.lowercased().hasPrefix("application/json") == true else {
                let type = head["content-type"] ?? "nothing"
                throw AttemptFailure(
                    .network(NetworkFailure(.malformedAnswer, "\(type) instead of JSON at \(url.absoluteString)"))
                )
            }
            return body
        }
    }

    /// RFC 9110, section 5.5: a field's value is ASCII; what is not is escaped as in a URL.
    private static func escaped(_ text: String) -> String {
        text.utf8.allSatisfy { $0 < 0x80 }
            ? text : text.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed) ?? ""
    }
}

/// Keeps a redirect's head and body from the receiver.
private final class RedirectWatch: AnswerReceiver {
    private struct State {
        var location: String?
        var status = 0
        var hasEnough = false
        var allowance: BodyAllowance
    }

    private let receiver: any AnswerReceiver
    private let state: Mutex<State>

    init(_ receiver: any AnswerReceiver, _ options: DeliveryOptions) {
        self.receiver = receiver
        state = Mutex(State(allowance: BodyAllowance(bytes: BodyAllowance.unwanted, options: options)))
    }

    var location: String? { state.withLock { $0.location } }
    var status: Int { state.withLock { $0.status } }
    /// It was this that ended the exchange: the way on is known, and the body was too long.
    var hasEnough: Bool { state.withLock { $0.hasEnough } }

    func begin(_ head: AnswerHead) throws(DeliveryError) {
        let location = [301, 302, 303, 307, 308].contains(head.status) ? head["location"] : nil
        state.withLock {
            $0.location = location
            $0.status = head.status
        }
        if location == nil { try receiver.begin(head) }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws(DeliveryError) {
        guard location != nil else { return try receiver.receive(bytes) }
        let goesOn = state.withLock { state in
            state.hasEnough = !state.allowance.take(bytes.count)
            return !state.hasEnough
        }
        if !goesOn { throw BodyAllowance.exceeded }
    }
}

/// Keeps a small answer in memory.
final class DocumentReceiver: AnswerReceiver {
    private struct State {
        var head: AnswerHead?
        var body: [UInt8] = []
        var hasEnough = false
        var allowance: BodyAllowance
    }

    private let limit: Int
    private let options: DeliveryOptions
    private let state: Mutex<State>

    init(limit: Int, options: DeliveryOptions = DeliveryOptions()) {
        self.limit = limit
        self.options = options
        state = Mutex(State(allowance: BodyAllowance(bytes: limit, options: options)))
    }

    var answer: (head: AnswerHead?, body: [UInt8]) { state.withLock { ($0.head, $0.body) } }
    /// It was this that ended the exchange: the answer is a refusal, and its beginning says why.
    var hasEnough: Bool { state.withLock { $0.hasEnough } }

    func begin(_ head: AnswerHead) throws(DeliveryError) {
        let bytes = head.status == 200 ? limit : BodyAllowance.unwanted
        state.withLock { $0 = State(head: head, allowance: BodyAllowance(bytes: bytes, options: options)) }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws(DeliveryError) {
        let fits = state.withLock { state in
            guard state.allowance.take(bytes.count) else {
                state.hasEnough = state.head?.status != 200
                return false
            }
            state.body += bytes
            return true
        }
        if !fits { throw BodyAllowance.exceeded }
    }
}

/// How paths of the HTTP contract become addresses.
enum HostAddress {
    /// - Parameter path: percent-encoded, as in `/models/SAM3/latest/resolve`.
    static func url(_ base: URL, path: String, query: [URLQueryItem] = []) -> URL? {
        guard var components = URLComponents(url: base, resolvingAgainstBaseURL: true) else { return nil }
        var prefix = components.percentEncodedPath
        while prefix.hasSuffix("/") { prefix.removeLast() }
        components.percentEncodedPath = prefix + path
        components.fragment = nil
        components.percentEncodedQuery =
            query.isEmpty
            ? nil
            : query.map { "\(escape($0.name))=\(escape($0.value ?? ""))" }.joined(separator: "&")
        return components.url
    }

    /// Everything but RFC 3986's unreserved characters: `+` too, which some read as a space.
    static func escape(_ text: some StringProtocol) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                escaped.append(byte)
            default:
                escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// A path of several segments, each escaped.
    static func path(_ segments: [some StringProtocol]) -> String {
        segments.map { "/" + escape($0) }.joined()
    }
}

internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Requests by URLSession, the body piece by piece: nothing is kept in memory, whatever the size.
///
/// On Apple's systems a task is suspended while the receiver writes, so that what comes meanwhile stays with the
/// sender. swift-corelibs-foundation has no such thing (`suspend` ends the connection, and delegates that are slow are
/// sent ever more operations: swift-corelibs-foundation issue 3204); there the delegate is called on the session's own
/// queue, which reads nothing more until it returns.
final class URLSessionTransport: ExchangeTransport {
    private let session: URLSession
    private let exchanges: SessionExchanges

    init() {
        exchanges = SessionExchanges()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        #if canImport(FoundationNetworking)
        let queue: OperationQueue = CallingQueue()
        #else
        let queue = OperationQueue()
        #endif
        queue.maxConcurrentOperationCount = 1
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: queue)
    }

    deinit { session.finishTasksAndInvalidate() }

    func exchange(_ request: ExchangeRequest, _ receiver: any AnswerReceiver) async throws(DeliveryError) {
        var sent = URLRequest(url: request.url)
        sent.httpMethod = request.method
        for (name, value) in request.fields { sent.setValue(value, forHTTPHeaderField: name) }
        if request.method != "GET" { sent.httpBody = Data(request.body) }
        // Counted anew with every byte that comes: a limit to silence, not to the whole.
        sent.timeoutInterval = max(1, request.stallTimeout / .seconds(1))
        let task = session.dataTask(with: sent)
        let exchange = SessionExchange(receiver)
        exchanges.add(exchange, for: task)
        let result: Result<Void, DeliveryError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exchange.wait(continuation)
                if Task.isCancelled { task.cancel() } else { task.resume() }
            }
        } onCancel: {
            task.cancel()
        }
        try result.get()
    }
}

#if canImport(FoundationNetworking)
/// A queue that has no threads: an operation is done by whoever adds it.
///
/// `@unchecked` because `OperationQueue` is, and a subclass must say it again; it has no state.
private final class CallingQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
}
#endif

/// One exchange of a session: its receiver, and who waits for its end.
private final class SessionExchange: Sendable {
    private struct State {
        var failure: DeliveryError?
        var result: Result<Void, DeliveryError>?
        var continuation: CheckedContinuation<Result<Void, DeliveryError>, Never>?
    }

    private let receiver: any AnswerReceiver
    private let state = Mutex(State())

    init(_ receiver: any AnswerReceiver) { self.receiver = receiver }

    func wait(_ continuation: CheckedContinuation<Result<Void, DeliveryError>, Never>) {
        let result = state.withLock { state -> Result<Void, DeliveryError>? in
            if state.result == nil { state.continuation = continuation }
            return state.result
        }
        if let result { continuation.resume(returning: result) }
    }

    /// False where the receiver wants no more: the task is to be cancelled.
    func pass(_ body: (any AnswerReceiver) throws(DeliveryError) -> Void) -> Bool {
        guard state.withLock({ $0.failure == nil && $0.result == nil }) else { return false }
        do throws(DeliveryError) {
            try body(receiver)
            return true
        } catch {
            state.withLock { $0.failure = error }
            return false
        }
    }

    func end(_ error: (any Error)?) {
        let continuation = state.withLock { state -> CheckedContinuation<Result<Void, DeliveryError>, Never>? in
            guard state.result == nil else { return nil }
            state.result = (state.failure ?? error.map(Self.failure)).map { .failure($0) } ?? .success(())
            defer { state.continuation = nil }
            return state.continuation
        }
        guard let continuation, let result = state.withLock({ $0.result }) else { return }
        continuation.resume(returning: result)
    }

    private static func failure(_ error: any Error) -> DeliveryError {
        guard let error = error as? URLError else {
            return .network(NetworkFailure(.connectionLost, "\(error)"))
        }
        let cause: NetworkFailure.Cause
        switch error.code {
        case .cancelled: return .cancelled
        case .timedOut: cause = .stalled
        case .cannotFindHost, .cannotConnectToHost, .notConnectedToInternet, .dnsLookupFailed: cause = .unreachable
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
            cause = .secureConnection
        case .badServerResponse, .cannotParseResponse, .zeroByteResource: cause = .malformedAnswer
        default: cause = .connectionLost
        }
        return .network(NetworkFailure(cause, error.localizedDescription))
    }
}

/// The session's delegate: gives each call to the exchange that it belongs to.
private final class SessionExchanges: NSObject, URLSessionDataDelegate, Sendable {
    private let byTask = Mutex<[Int: SessionExchange]>([:])

    func add(_ exchange: SessionExchange, for task: URLSessionTask) {
        byTask.withLock { $0[task.taskIdentifier] = exchange }
    }

    private func exchange(_ task: URLSessionTask) -> SessionExchange? {
        byTask.withLock { $0[task.taskIdentifier] }
    }

    /// Elsewhere: on Linux `cancel` waits for the queue that this is called on.
    private func cancel(_ task: URLSessionTask) {
        DispatchQueue.global(qos: .utility).async { task.cancel() }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let response = response as? HTTPURLResponse, let exchange = exchange(dataTask) else {
            return completionHandler(.cancel)
        }
        let fields = response.allHeaderFields.compactMap { name, value -> (name: String, value: String)? in
            guard let name = name as? String, let value = value as? String else { return nil }
            return (name, value)
        }
        let head = AnswerHead(status: response.statusCode, fields: fields)
        let goesOn = exchange.pass { receiver throws(DeliveryError) in try receiver.begin(head) }
        // On Linux the disposition is not heeded.
        if !goesOn { cancel(dataTask) }
        completionHandler(goesOn ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        #if !canImport(FoundationNetworking)
        dataTask.suspend()
        defer { dataTask.resume() }
        #endif
        let goesOn = exchange(dataTask)?.pass { receiver throws(DeliveryError) in
            // The closure's own kind of throws is lost in `withUnsafeBytes`; its error is not.
            let result = data.withUnsafeBytes { bytes -> Result<Void, DeliveryError> in
                do throws(DeliveryError) {
                    return .success(try receiver.receive(bytes))
                } catch {
                    return .failure(error)
                }
            }
            try result.get()
        }
        guard goesOn != true else { return }
        #if canImport(FoundationNetworking)
        // To cancel a task in mid-body may end the process (swift-corelibs-foundation issue 3296). Who waits is told
        // now; what still comes is dropped.
        exchange(dataTask)?.end(nil)
        #else
        cancel(dataTask)
        #endif
    }

    /// A redirect is an answer like any other: who follows it is not decided here.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        byTask.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.end(error)
    }
}

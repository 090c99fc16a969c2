internal import Foundation

/// The transport that a library uses by itself.
///
/// URLSession everywhere, but for plain `http` on Linux: what stands there for URLSession (swift-corelibs-foundation
/// 6.3 over libcurl) took 2.3 s of CPU for each GiB on the loopback where `curl` took 1.05 s, for it makes a timer and an
/// operation for every 16 KiB. A connection of our own takes less than `curl`.
package struct SystemTransport: ExchangeTransport {
    package static let shared = SystemTransport()

    private let session = URLSessionTransport()
    #if os(Linux)
    private let sockets = SocketTransport()
    /// libcurl goes by a proxy that the environment names; a socket would go past it.
    private let hasProxy = ["http_proxy", "all_proxy", "ALL_PROXY"].contains {
        ProcessInfo.processInfo.environment[$0]?.isEmpty == false
    }
    #endif

    package func exchange(_ request: ExchangeRequest, _ receiver: any AnswerReceiver) async throws(DeliveryError) {
        #if os(Linux)
        if request.url.scheme?.lowercased() == "http", !hasProxy {
            return try await sockets.exchange(request, receiver)
        }
        #endif
        try await session.exchange(request, receiver)
    }
}

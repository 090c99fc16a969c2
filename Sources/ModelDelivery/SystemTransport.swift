internal import Foundation

/// The transport that a library uses by itself.
///
/// URLSession everywhere, but for plain `http` on Linux. What stands there for URLSession (swift-corelibs-foundation
/// 6.3 over libcurl) makes a timer and an operation for every 16 KiB. Processor time for each GiB over the loopback, on
/// the same machine: URLSession 2.3 s, `curl` 1.2 s, a socket of our own 1.6 s, of which 0.7 s are SHA-256 on another
/// thread. It also ends the process at a chunked answer with a trailer, which the socket reads.
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

package import HostSystem

/// Trouble that an operator should hear of while serving goes on.
package enum TransportNotice: Sendable, CustomStringConvertible {
    /// As many connections are open as may be; more wait in the kernel's queue.
    case connectionLimit
    /// accept(2) or epoll_ctl(2) failed.
    case cannotAccept(Errno)
    /// There is no memory for a TLS session.
    case cannotSecure

    package var description: String {
        switch self {
        case .connectionLimit:
            "as many connections are open as the descriptor limit allows; new ones wait (raise ulimit -n)"
        case .cannotAccept(let error):
            "cannot accept connections: \(error); trying again (raise ulimit -n if descriptors are short)"
        case .cannotSecure:
            "cannot begin TLS on a connection, which was closed: there is no memory for it"
        }
    }
}

internal import CHostLinux
internal import Glibc

/// The signals that steer a server.
package enum ControlSignal: Sendable {
    case terminate, interrupt, hangUp

    /// Keeps these signals from interrupting the calling thread and those that it starts from now on, so that `next`
    /// receives them; and ignores SIGPIPE. Call it first in `main`.
    package static func takeOver() {
        var set = controlSet
        _ = pthread_sigmask(SIG_BLOCK, &set, nil)
        ignoreBrokenPipes()
    }

    /// A peer that is gone is told by EPIPE; the signal would end the process. sendfile(2) has no flag to suppress it.
    package static func ignoreBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// Lets the system act on SIGTERM and SIGINT again, which end the process. SIGHUP stays without effect: a terminal
    /// that closes, or a supervisor that sends it after SIGTERM, must not cut what is still being sent.
    package static func giveBack() {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        _ = pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// Waits for the next of these signals. One thread calls it, after `takeOver`.
    package static func next() -> ControlSignal {
        var set = controlSet
        while true {
            var number: CInt = 0
            guard sigwait(&set, &number) == 0 else { continue }
            switch number {
            case SIGTERM: return .terminate
            case SIGINT: return .interrupt
            default: return .hangUp
            }
        }
    }

    private static var controlSet: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGHUP)
        return set
    }
}

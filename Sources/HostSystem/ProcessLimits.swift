internal import CHostLinux
internal import Glibc

/// Figures of this process and machine.
package enum ProcessLimits {
    /// The soft limit of open descriptors (RLIMIT_NOFILE).
    package static func openFiles() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// Raises the soft limit of open descriptors to the hard one, as servers do; returns what it is then.
    package static func raiseOpenFiles() -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return 1024 }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(resource, &limit)
        return openFiles()
    }

    /// Processors that this process may run on.
    package static func processors() -> Int {
        max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN))))
    }
}

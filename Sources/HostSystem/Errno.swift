internal import CHostLinux
internal import Glibc

/// An error number of the kernel as a value, with the C names for those that callers tell apart.
package struct Errno: Error, RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: CInt

    package init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// The calling thread's `errno`. Read it directly after the call that failed.
    package static var current: Errno { Errno(rawValue: errno) }

    /// Sets the calling thread's `errno` to 0, for a library that sets it only where the kernel has failed.
    package static func clear() { errno = 0 }

    package static let again = Errno(rawValue: EAGAIN)
    package static let interrupted = Errno(rawValue: EINTR)
    package static let badDescriptor = Errno(rawValue: EBADF)
    package static let fault = Errno(rawValue: EFAULT)
    package static let accessDenied = Errno(rawValue: EACCES)
    package static let noEntry = Errno(rawValue: ENOENT)
    package static let notFolder = Errno(rawValue: ENOTDIR)
    package static let tooManyLinks = Errno(rawValue: ELOOP)
    package static let crossesBoundary = Errno(rawValue: EXDEV)
    package static let nameTooLong = Errno(rawValue: ENAMETOOLONG)
    package static let processFileLimit = Errno(rawValue: EMFILE)
    package static let systemFileLimit = Errno(rawValue: ENFILE)
    package static let noMemory = Errno(rawValue: ENOMEM)
    package static let noBuffers = Errno(rawValue: ENOBUFS)
    package static let noSpace = Errno(rawValue: ENOSPC)
    package static let noSystemCall = Errno(rawValue: ENOSYS)
    package static let inputOutput = Errno(rawValue: EIO)
    package static let addressInUse = Errno(rawValue: EADDRINUSE)
    package static let notSocket = Errno(rawValue: ENOTSOCK)
    package static let connectionAborted = Errno(rawValue: ECONNABORTED)
    package static let protocolError = Errno(rawValue: EPROTO)

    /// The system's own words, such as `No such file or directory`.
    package var description: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let start = buffer.baseAddress else { return "error \(rawValue)" }
            chost_error_text(rawValue, start, buffer.count)
            return String(cString: start)
        }
    }
}

/// Calls `body` until it is not interrupted by a signal; a negative result becomes the error number.
@inline(__always)
package func retryingInterrupts<Result: FixedWidthInteger>(
    _ body: () -> Result
) throws(Errno) -> Result {
    while true {
        let result = body()
        if result >= 0 { return result }
        let error = Errno.current
        if error != .interrupted { throw trapOnMisuse(error) }
    }
}

/// EBADF and EFAULT say that this program has lost count of its own descriptors or memory: going on could write one
/// client's bytes to another, so the process ends instead.
package func trapOnMisuse(_ error: Errno) -> Errno {
    precondition(error != .badDescriptor && error != .fault, "system call on a descriptor or memory that is gone")
    return error
}

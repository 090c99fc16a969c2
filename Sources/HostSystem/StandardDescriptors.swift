internal import Glibc

/// The descriptors 0, 1 and 2.
package enum StandardDescriptors {
    /// Opens /dev/null at those of them that the process was started without. Otherwise the next file or connection
    /// would get such a number, and what is meant for standard error would go to a client. To be called first in `main`.
    package static func reserve() {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
            // The lowest free number is given, and those below are taken by now.
            _ = open("/dev/null", O_RDWR)
        }
    }
}

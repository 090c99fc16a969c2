import Glibc
import HostSystem
import TestSupport

/// What a test does to a store behind the server's back.
enum Disk {
    static func read(_ path: String) throws -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Errno.current }
        return try FileDescriptor(owning: file).readAll(limit: 1 << 30) ?? []
    }

    static func link(_ path: String, to target: String) throws {
        guard symlink(target, path) == 0 else { throw Errno.current }
    }

    /// Sets access and modification time, in seconds since 1970.
    static func setTimes(_ path: String, to seconds: Int) throws {
        let times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
        guard utimensat(AT_FDCWD, path, times, 0) == 0 else { throw Errno.current }
    }

    /// Sets the times of everything below a folder, itself included.
    static func setTimesOfAll(below path: String, to seconds: Int) throws {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw Errno.current }
        if status.st_mode & S_IFMT == S_IFDIR {
            var names: [String] = []
            try FileDescriptor.openFolder(path).forEachName { names.append($0) }
            for name in names { try setTimesOfAll(below: "\(path)/\(name)", to: seconds) }
        }
        try setTimes(path, to: seconds)
    }

    /// Holds a lease on a file, as a file server does for its clients: an open that must not wait then fails with
    /// EWOULDBLOCK (fcntl(2)), which is a fault of the system and none of the file. Ends with `release`.
    struct Lease: ~Copyable {
        private let file: FileDescriptor

        init(on path: String) throws {
            // The kernel asks the holder to let go by this signal, which would end the process.
            signal(SIGIO, SIG_IGN)
            let number = open(path, O_RDWR | O_CLOEXEC)
            guard number >= 0 else { throw Errno.current }
            // F_SETLEASE, which the overlay does not import. Not while anybody else has the file open, a process that
            // another test starts with its copies of descriptors included.
            guard eventually({ fcntl(number, 1024, F_WRLCK) == 0 }) else {
                let error = Errno.current
                close(number)
                throw error
            }
            file = FileDescriptor(owning: number)
        }

        consuming func release() {}
    }
}

internal import CHostLinux
internal import Glibc

/// What this process takes of the machine now. Asked of the kernel, which answers from memory: it waits for no disk.
package struct ProcessFigures: Sendable {
    /// Octets of memory that are resident.
    package let residentMemory: UInt64
    /// Open descriptors, all of the process's.
    package let openFiles: Int
    /// User and system time of all threads, in seconds.
    package let processorSeconds: Double

    /// Anything that the kernel does not tell, as where /proc is not mounted, is nil or 0.
    package static func now() -> ProcessFigures {
        ProcessFigures(
            residentMemory: residentMemory(),
            openFiles: openFiles(),
            processorSeconds: processorSeconds()
        )
    }

    /// When the process was started, in seconds since 1970. Worked out once, so that a clock that is set later makes it no
    /// other start.
    package static let startSeconds: Double = {
        // The twentieth field behind the name, in ticks since the machine was started; the name may hold anything.
        guard let text = read("/proc/self/stat"), let end = text.lastIndex(of: ")"),
            let ticks = field(19, of: text[text.index(after: end)...])
        else { return seconds(CLOCK_REALTIME) }
        return seconds(CLOCK_REALTIME) - seconds(CLOCK_BOOTTIME) + Double(ticks) / Double(sysconf(CInt(_SC_CLK_TCK)))
    }()

    private static func residentMemory() -> UInt64 {
        guard let text = read("/proc/self/statm"), let pages = field(1, of: text[...]) else { return 0 }
        return pages * UInt64(sysconf(CInt(_SC_PAGESIZE)))
    }

    private static func openFiles() -> Int {
        // Linux 6.2 and later tell the number as the folder's size.
        if let size = try? FileSystemPath.status("/proc/self/fd").size, size > 0 { return Int(size) }
        return countedFiles()
    }

    /// The same on an older kernel. Reading the folder would make an inode for each descriptor: of 12,000 it takes 0.2 s,
    /// to ask for each number takes some milliseconds.
    static func countedFiles() -> Int {
        guard let text = read("/proc/self/status"),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("FDSize:") }),
            let size = line.split(separator: "\t").last.flatMap({ CInt($0) })
        else { return 0 }
        return (0..<size).reduce(0) { fcntl($1, F_GETFD) >= 0 ? $0 + 1 : $0 }
    }

    private static func processorSeconds() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1_000_000 }
    }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        _ = clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    private static func read(_ path: String) -> String? {
        guard let octets = try? FileDescriptor.openFile(operatorsPath: path).readPiece(upTo: 4096) else { return nil }
        return String(decoding: octets, as: UTF8.self)
    }

    private static func field(_ index: Int, of text: Substring) -> UInt64? {
        let fields = text.split { $0 == " " || $0 == "\n" }
        return index < fields.count ? UInt64(fields[index]) : nil
    }
}

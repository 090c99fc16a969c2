import Glibc
import HostSystem
import HostTransport
import TestSupport

/// What a test decides about the handler of its server, and what it sees of it. Used from any thread.
final class Stage: Sendable {
    struct State: Sendable {
        /// Jobs and holds that have begun, in order.
        var begun: [String] = []
        /// Jobs and holds that may end.
        var open: Set<String> = []
        var everythingIsOpen = false
        /// Targets in the order in which they were answered.
        var answered: [String] = []
        var rejections: [Rejection] = []
        /// Answers whose end was told, each with the octets of content that its peer has.
        var finished: [String] = []
        /// What each of them had left unacknowledged.
        var unacknowledged: [Int] = []
        /// Answers of pieces of which the kernel has taken the last.
        var handedOver: [String] = []
        var notices: [String] = []
        /// Calls of `housekeeping`: about one a second, so tests let time pass by counting them.
        var rounds = 0
        /// The CPU clocks of the loops' threads.
        var cpuClocks: [clockid_t] = []
    }

    let state = Monitor(State())
    /// What bodies are made of: no two places look alike.
    let content: [UInt8]
    /// A file of the same octets, for answers of files.
    let path: String
    private let folder: TemporaryFolder

    init(contentSize: Int = 1 << 20) throws {
        content = Self.content(contentSize)
        folder = try TemporaryFolder()
        path = "\(folder.path)/content"
        try TemporaryFolder.write(content, to: path)
    }

    /// A path for a unix socket or a file of the test's own.
    func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    /// 64 KiB without a short period, again and again, each block beginning with its number.
    private static func content(_ size: Int) -> [UInt8] {
        var value: UInt32 = 1
        var block: [UInt8] = []
        for _ in 0..<65536 {
            value = value &* 1_664_525 &+ 1_013_904_223
            block.append(UInt8(value >> 24))
        }
        var all: [UInt8] = []
        all.reserveCapacity(size + block.count)
        while all.count < size {
            let number = UInt32(all.count / block.count)
            for index in 0..<4 { block[index] = UInt8(truncatingIfNeeded: number >> (8 * UInt32(index))) }
            all += block
        }
        return Array(all[..<size])
    }

    // MARK: The handler's side

    /// Holds the calling thread until the test opens `gate`.
    func pass(_ gate: String) {
        state.update { $0.begun.append(gate) }
        state.await { $0.everythingIsOpen || $0.open.contains(gate) ? () : nil }
    }

    // MARK: The test's side

    func open(_ gate: String) { state.update { _ = $0.open.insert(gate) } }
    func openAll() { state.update { $0.everythingIsOpen = true } }

    var now: State { state.update { $0 } }

    func hasBegun(_ gate: String) -> Bool { eventually { now.begun.contains(gate) } }

    /// Lets about `count` seconds pass, as the loop sees them.
    func wait(rounds count: Int) -> Bool {
        let start = now.rounds
        return eventually(within: 60 + 5 * count) { now.rounds >= start + count }
    }

    /// CPU time of the first loop's thread in milliseconds.
    var loopMilliseconds: Int64 {
        guard let clock = now.cpuClocks.first else { return 0 }
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

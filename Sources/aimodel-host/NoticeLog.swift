internal import HostSystem

/// Lines for the operator on standard error, written by a thread of their own.
///
/// Whoever has something to say may be an event loop, and standard error may be a pipe that nobody empties: a loop that
/// waited for it would serve nobody any more.
final class NoticeLog: Sendable {
    private struct Lines: Sendable {
        var waiting: [String] = []
        var dropped = 0
    }

    /// Lines that wait; what comes beyond them is counted.
    private static let capacity = 1000
    private let lines: Monitor<Lines>
    /// It ends with the process, so nobody joins it.
    private let thread: OSThread

    init() throws {
        let lines = Monitor(Lines())
        self.lines = lines
        thread = try OSThread(name: "notices") {
            while true { Output.errorText(Self.take(from: lines)) }
        }
    }

    /// Puts a line behind those that wait. Never waits itself; any thread may call it.
    func add(_ text: String) {
        lines.update { lines in
            guard lines.waiting.count < Self.capacity else {
                lines.dropped += 1
                return
            }
            lines.waiting.append("aimodel-host: \(text)\n")
        }
    }

    /// The lines that wait, as soon as there are some.
    private static func take(from lines: Monitor<Lines>) -> String {
        lines.await { lines in
            guard !lines.waiting.isEmpty else { return nil }
            var text = lines.waiting.joined()
            if lines.dropped > 0 { text += "aimodel-host: \(lines.dropped) more lines were dropped\n" }
            lines = Lines()
            return text
        }
    }
}

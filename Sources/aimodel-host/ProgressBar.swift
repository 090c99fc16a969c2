internal import HostSystem
internal import ModelCatalog
internal import Synchronization

/// How far long work is: a bar with rate and time left for a person, a plain line now and then for a log.
/// May be told from any thread.
final class ProgressBar: Sendable {
    private struct State {
        var started: Int64
        var drawn: Int64
        var done: UInt64 = 0
        var isDrawn = false
    }

    private let verb: String
    private let state: Mutex<State>

    /// `verb`: what is being done, such as `publishing`.
    init(_ verb: String) {
        self.verb = verb
        let now = CoarseClock.monotonicMilliseconds()
        state = Mutex(State(started: now, drawn: now))
    }

    /// `done` of `total` octets are through. Shows it at most five times a second, in a log every ten seconds.
    func update(done: UInt64, total: UInt64) {
        let now = CoarseClock.monotonicMilliseconds()
        state.withLock { state in
            state.done = max(state.done, done)
            guard now - state.drawn >= (Terminal.isInteractive ? 200 : 10_000) else { return }
            state.drawn = now
            let line = line(state.done, of: total, after: now - state.started)
            if Terminal.isInteractive {
                state.isDrawn = true
                Output.errorText("\r\u{1b}[K" + String(line.prefix(Terminal.width - 1)))
            } else {
                Output.errorText(line + "\n")
            }
        }
    }

    /// Takes the bar away, so that what is printed next stands on a line of its own.
    func finish() {
        state.withLock { state in
            if state.isDrawn { Output.errorText("\r\u{1b}[K") }
            state.isDrawn = false
        }
    }

    private func line(_ done: UInt64, of total: UInt64, after milliseconds: Int64) -> String {
        let share = total == 0 ? 1 : min(1, Double(done) / Double(total))
        let rate = Double(done) * 1000 / Double(max(1, milliseconds))
        var text = "\(verb) "
        if Terminal.isInteractive {
            let cells = 24
            let filled = Int(share * Double(cells))
            text += "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: cells - filled) + "] "
        }
        text += "\(Int(share * 100)) %  \(ByteCount.text(done)) of \(ByteCount.text(total))"
        text += "  \(ByteCount.text(UInt64(rate)))/s"
        if rate > 0, done < total { text += "  \(Self.time(Double(total - done) / rate)) left" }
        return text
    }

    private static func time(_ seconds: Double) -> String {
        guard seconds < 360_000 else { return "days" }
        let whole = Int(seconds.rounded(.up))
        if whole < 60 { return "\(whole) s" }
        if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3600) h \(whole % 3600 / 60) min"
    }
}

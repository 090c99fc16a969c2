internal import Glibc
internal import HTTPWire

/// Results go to standard output, everything else to standard error.
enum Output {
    /// A result.
    static func line(_ text: String) {
        self.text(text + "\n")
    }

    static func text(_ text: String) {
        write(text, STDOUT_FILENO)
    }

    /// A result for programs: one JSON object on a line.
    static func json(_ members: [(String, JSONValue)]) {
        line(String(decoding: JSONValue.object(members).encode(), as: UTF8.self))
    }

    /// What was wrong, with what, and what to do.
    static func error(_ text: String) {
        errorText("error: \(text)\n")
    }

    /// Something that an operator should hear of while work goes on.
    static func notice(_ text: String) {
        errorText("aimodel-host: \(text)\n")
    }

    static func errorText(_ text: String) {
        write(text, STDERR_FILENO)
    }

    /// One write(2) a text where the descriptor allows it, so that lines of several threads do not mix.
    private static func write(_ text: String, _ descriptor: CInt) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                // A reader that is gone, or a full disk below a log: nobody is left to tell.
                guard errno == EINTR else { return }
                continue
            }
            rest = rest.dropFirst(count)
        }
    }
}

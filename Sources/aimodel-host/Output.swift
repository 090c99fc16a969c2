internal import Glibc
internal import HTTPWire

/// Results go to standard output, everything else to standard error.
enum Output {
    /// A result.
    static func line(_ text: String) {
        self.text(text + "\n")
    }

    /// Ends the process with status 1 when the result cannot be written: a full disk must not look like success.
    static func text(_ text: String) {
        guard write(text, STDOUT_FILENO) else {
            if errno != EPIPE { error("cannot write the result: \(String(cString: strerror(errno)))") }
            exit(Exit.failure)
        }
    }

    /// A result for programs: one JSON object on a line.
    static func json(_ members: [(String, JSONValue)]) {
        line(String(decoding: JSONValue.object(members).encode(), as: UTF8.self))
    }

    /// What was wrong, with what, and what to do.
    static func error(_ text: String) {
        errorText("error: \(printable(text))\n")
    }

    /// What somebody may want to know who gets a result all the same.
    static func note(_ text: String) {
        errorText("\(Terminal.yellow("note:")) \(printable(text))\n")
    }

    /// What a command line, a file, a server or a device has said may hold sequences that steer a terminal: control
    /// characters are escaped, the line's end only where it must not end the line.
    static func printable(_ text: String, inLine: Bool = false) -> String {
        var printable = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control where inLine || scalar != "\n", .format, .lineSeparator, .paragraphSeparator:
                printable += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            default:
                printable.unicodeScalars.append(scalar)
            }
        }
        return printable
    }

    static func errorText(_ text: String) {
        // When standard error itself fails, nobody is left to tell.
        _ = write(text, STDERR_FILENO)
    }

    /// One write(2) a text where the descriptor allows it, so that lines of several threads do not mix; false, and
    /// `errno`, on failure.
    private static func write(_ text: String, _ descriptor: CInt) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                guard errno == EINTR else { return false }
                continue
            }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

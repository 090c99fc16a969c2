internal import Glibc

/// What standard output and standard error are connected to: each may be a terminal without the other.
enum Terminal {
    /// A person is looking at standard error.
    static let isInteractive = isatty(STDERR_FILENO) == 1

    private static let showsColouredResults = isatty(STDOUT_FILENO) == 1 && allowsColour
    private static let showsColouredErrors = isInteractive && allowsColour

    /// Not for one who said no (no-color.org).
    private static var allowsColour: Bool {
        guard let value = getenv("NO_COLOR") else { return true }
        return value.pointee == 0
    }

    /// Columns; 80 where nobody can tell.
    static var width: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    // For standard error.
    static func red(_ text: String) -> String { coloured(text, "31", showsColouredErrors) }
    static func yellow(_ text: String) -> String { coloured(text, "33", showsColouredErrors) }
    static func bold(_ text: String) -> String { coloured(text, "1", showsColouredErrors) }

    // For standard output.
    static func redResult(_ text: String) -> String { coloured(text, "31", showsColouredResults) }

    private static func coloured(_ text: String, _ code: String, _ isColoured: Bool) -> String {
        isColoured ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
    }
}

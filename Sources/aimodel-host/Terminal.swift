internal import Glibc

/// What standard error is connected to.
enum Terminal {
    /// A person is looking.
    static let isInteractive = isatty(STDERR_FILENO) == 1

    /// Colour only for a person, and not for one who said no (no-color.org).
    static let hasColour: Bool = {
        guard isInteractive, let value = getenv("NO_COLOR") else { return isInteractive }
        return value.pointee == 0
    }()

    /// Columns; 80 where nobody can tell.
    static var width: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    static func red(_ text: String) -> String { coloured(text, "31") }
    static func yellow(_ text: String) -> String { coloured(text, "33") }
    static func bold(_ text: String) -> String { coloured(text, "1") }

    private static func coloured(_ text: String, _ code: String) -> String {
        hasColour ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
    }
}

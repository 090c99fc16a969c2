internal import Foundation

/// The field `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date.
enum RetryAfter {
    /// What is longer is told as this: more than anybody waits.
    static let longest = Int(Int32.max)

    /// - Parameter now: the host's own clock, from its field `Date`; nil for this device's, which may be wrong.
    /// - Returns: seconds from 0 to `longest`; nil where the text is neither.
    static func seconds(_ text: String, now: Date?) -> Int? {
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return min(Int(text) ?? longest, longest)
        }
        guard let date = date(text) else { return nil }
        let wait = date.timeIntervalSince(now ?? Date()).rounded(.up)
        return Int(min(max(wait, 0), Double(longest)))
    }

    /// RFC 9110, section 5.6.7: the one form that is sent today, and the two that a recipient has to know still.
    static func date(_ text: String) -> Date? {
        for format in ["EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'", "EEE MMM d HH:mm:ss yyyy"] {
            let formatter = DateFormatter()
            formatter.locale = Locale(identifier: "en_US_POSIX")
            formatter.timeZone = TimeZone(secondsFromGMT: 0)
            formatter.dateFormat = format
            if let date = formatter.date(from: text) { return date }
        }
        return nil
    }
}

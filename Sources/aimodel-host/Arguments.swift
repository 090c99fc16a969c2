/// A command line, taken apart: options by name, and what stands between them.
///
/// `--name value` and `--name=value` mean the same; what follows `--` is never an option.
struct Arguments {
    private var values: [String: [String]] = [:]
    private var flags: Set<String> = []
    /// What is no option, in order.
    private(set) var positional: [String] = []

    /// - Parameters:
    ///   - options: names that take a value, without their dashes.
    ///   - flags: names that take none.
    /// - Throws: `UsageError` for a name that is not among them, or a value that is missing or not wanted.
    init(_ arguments: [String], options: Set<String>, flags known: Set<String> = []) throws(UsageError) {
        var index = 0
        while index < arguments.count {
            let argument = arguments[index]
            index += 1
            if argument == "--" {
                positional += arguments[index...]
                return
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                positional.append(argument)
                continue
            }
            if argument == "--help" || argument == "-h" { throw UsageError.helpWanted }
            let parts = argument.drop { $0 == "-" }.split(
                separator: "=",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            let name = parts.first.map(String.init) ?? ""
            guard argument.hasPrefix("--"), options.contains(name) || known.contains(name) else {
                throw UsageError("there is no option \(argument)")
            }
            if known.contains(name) {
                guard parts.count == 1 else { throw UsageError("--\(name) takes no value") }
                flags.insert(name)
            } else if parts.count == 2 {
                values[name, default: []].append(String(parts[1]))
            } else if index < arguments.count {
                values[name, default: []].append(arguments[index])
                index += 1
            } else {
                throw UsageError("--\(name) needs a value")
            }
        }
    }

    func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// Every value of an option that may stand more than once.
    func all(_ name: String) -> [String] { values[name] ?? [] }

    /// The value of an option that may stand once.
    func one(_ name: String) throws(UsageError) -> String? {
        let found = all(name)
        guard found.count <= 1 else { throw UsageError("--\(name) stands more than once") }
        return found.first
    }

    /// The store's folder; the working directory unless named. An empty name is most likely a variable that is not set.
    func root() throws(UsageError) -> String {
        guard let root = try one("root") else { return "." }
        guard !root.isEmpty else { throw UsageError("--root is empty") }
        return root
    }

    /// A whole number within `range`.
    func number(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = try one(name) else { return nil }
        guard let value = Int(text), range.contains(value) else {
            throw UsageError(
                "--\(name) is \(text), but takes a whole number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return value
    }

    /// A size such as `512MiB` or `4GiB`, in octets; a bare number is octets.
    func octets(_ name: String) throws(UsageError) -> Int64? {
        guard let text = try one(name) else { return nil }
        let digits = text.prefix { $0.isNumber }
        let units: [String: Int64] = ["": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40]
        guard let count = Int64(digits), let unit = units[String(text.dropFirst(digits.count))],
            case (let octets, false) = count.multipliedReportingOverflow(by: unit)
        else {
            throw UsageError("--\(name) is \(text), but takes a size such as 512MiB or 4GiB")
        }
        return octets
    }

    /// A time such as `30s`, `5m`, `1h` or `90d`, in milliseconds; a bare number is seconds.
    func milliseconds(_ name: String) throws(UsageError) -> Int64? {
        guard let text = try one(name) else { return nil }
        let digits = text.prefix { $0.isNumber }
        let units: [String: Int64] = ["": 1000, "ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
        guard let count = Int64(digits), count <= 1_000_000, let unit = units[String(text.dropFirst(digits.count))]
        else {
            throw UsageError("--\(name) is \(text), but takes a time such as 30s, 5m, 1h or 90d")
        }
        return count * unit
    }
}

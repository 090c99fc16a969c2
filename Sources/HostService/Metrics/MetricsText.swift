/// A measured quantity: its name, what it means, and its samples.
struct Metric: Sendable {
    enum Kind: String, Sendable {
        /// Only grows, from 0 at the start of the server.
        case counter
        case gauge
    }

    struct Sample: Sendable {
        var labels: [(name: String, value: String)]
        var value: Value
    }

    enum Value: Equatable, Sendable {
        case whole(UInt64)
        case real(Double)
    }

    /// `[a-zA-Z_:][a-zA-Z0-9_:]*`, a literal of the caller; so are the names of labels, without the colon.
    let name: String
    let kind: Kind
    let help: String
    var samples: [Sample]

    init(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        self.name = name
        self.kind = kind
        self.help = help
        self.samples = samples
    }

    /// One without labels.
    init(_ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger) {
        self.init(name, kind, help, [Sample(value)])
    }
}

extension Metric.Sample {
    /// A negative number, which nothing that is counted here can be, is 0.
    init(_ value: some BinaryInteger, _ labels: (name: String, value: String)...) {
        self.init(labels: labels, value: .whole(UInt64(clamping: value)))
    }
}

/// The text exposition format of Prometheus, version 0.0.4.
///
///     # HELP name what it means, \ and LF escaped
///     # TYPE name counter
///     name{label="value with \, " and LF escaped",other="..."} 12
///
/// All samples of a metric stand together, and each line ends with LF, the last one too.
enum MetricsText {
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    static func encode(_ metrics: [Metric]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(64 * metrics.reduce(0) { $0 + 3 + $1.samples.count })
        for metric in metrics {
            append("# HELP ", metric.name, " ", to: &text)
            append(escaping: metric.help, quote: false, to: &text)
            append("\n# TYPE ", metric.name, " ", metric.kind.rawValue, "\n", to: &text)
            for sample in metric.samples { append(sample, of: metric.name, to: &text) }
        }
        return text
    }

    private static func append(_ sample: Metric.Sample, of name: String, to text: inout [UInt8]) {
        append(name, to: &text)
        var separator = "{"
        for label in sample.labels {
            append(separator, label.name, "=\"", to: &text)
            append(escaping: label.value, quote: true, to: &text)
            append("\"", to: &text)
            separator = ","
        }
        if !sample.labels.isEmpty { append("}", to: &text) }
        append(" ", Self.text(sample.value), "\n", to: &text)
    }

    /// As Go's ParseFloat reads it, which is what the format refers to.
    private static func text(_ value: Metric.Value) -> String {
        switch value {
        case .whole(let number): "\(number)"
        case .real(let number) where number.isNaN: "NaN"
        case .real(let number) where number.isInfinite: number < 0 ? "-Inf" : "+Inf"
        case .real(let number): "\(number)"
        }
    }

    private static func append(_ parts: String..., to text: inout [UInt8]) {
        for part in parts { text.append(contentsOf: part.utf8) }
    }

    /// Label values escape the quote that ends them as well; HELP texts end with their line.
    private static func append(escaping value: String, quote: Bool, to text: inout [UInt8]) {
        for octet in value.utf8 {
            switch octet {
            case UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), UInt8(ascii: "\\")]
            case UInt8(ascii: "\n"): text += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
            case UInt8(ascii: "\"") where quote: text += [UInt8(ascii: "\\"), UInt8(ascii: "\"")]
            default: text.append(octet)
            }
        }
    }
}

import TestSupport
import Testing

/// What a collector reads at `/metrics`.
struct Scrape {
    /// By `name{labels}`, as the line has it.
    let values: [String: Double]
    /// The types, by name.
    let types: [String: String]
    /// The names of samples in order, each as often as it has samples.
    let names: [String]
    /// Lines that are not of the format, or not where it wants them.
    let faults: [String]

    init(_ host: RunningHost) throws {
        let answer = try host.connectToAdmin().request("GET", "/metrics")
        try #require(answer.status == 200)
        self.init(answer.text)
    }

    init(_ text: String) {
        var values: [String: Double] = [:]
        var types: [String: String] = [:]
        var names: [String] = []
        var faults: [String] = []
        var helped: Set<String> = []
        var current: String?
        if !text.hasSuffix("\n") { faults.append("the last line does not end") }
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if line.hasPrefix("# HELP "), words.count > 3 {
                if !helped.insert(String(words[2])).inserted { faults.append(String(line)) }
                current = String(words[2])
            } else if line.hasPrefix("# TYPE "), words.count == 4 {
                if current != String(words[2]) { faults.append(String(line)) }
                types[String(words[2])] = String(words[3])
            } else if let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) {
                let series = String(line[..<space])
                let name = String(series.prefix { $0 != "{" })
                if name != current || types[name] == nil || values[series] != nil { faults.append(String(line)) }
                values[series] = value
                names.append(name)
            } else {
                faults.append(String(line))
            }
        }
        (self.values, self.types, self.names, self.faults) = (values, types, names, faults)
    }

    /// A series of the host's own; nil where there is none.
    subscript(_ series: String) -> Double? { values["aimodel_host_" + series] }

    /// What has grown since an earlier one, or shrunk, of the host's own counters.
    func changes(since earlier: Scrape) -> [String: Double] {
        var changes: [String: Double] = [:]
        for (series, value) in values where series.hasPrefix("aimodel_host_") {
            guard types[String(series.prefix { $0 != "{" })] == "counter" else { continue }
            let change = value - (earlier.values[series] ?? 0)
            if change != 0 { changes[String(series.dropFirst("aimodel_host_".count))] = change }
        }
        return changes
    }
}

internal import HTTPWire
internal import HostTelemetry
internal import ModelCatalog
internal import ModelStore

/// What devices asked for in vain, and what has become of it since.
struct WantedVariant: Sendable {
    let miss: MissingVariant
    let fate: VariantFate

    /// Waits for the disk.
    init(_ miss: MissingVariant, in search: VariantSearch) {
        self.miss = miss
        // The server records names that it has parsed; what is none of these is of nothing that is published.
        guard let model = ModelName(miss.model), let version = Version(miss.version),
            let architecture = Architecture(miss.architecture)
        else {
            fate = .unpublished
            return
        }
        fate = search.fate(of: miss.base, for: architecture, since: version, of: model)
    }

    var isMissing: Bool {
        if case .missing = fate { true } else { false }
    }

    var json: JSONValue {
        let state: String
        var publishedIn: Version?
        var source: CompileSource?
        switch fate {
        case .missing(let found):
            state = "missing"
            source = found
        case .published(let version):
            state = "published"
            publishedIn = version
        case .unpublished:
            state = "unpublished"
        }
        return .object([
            ("model", .string(miss.model)), ("version", .string(miss.version)), ("base", .string(miss.base)),
            ("architecture", .string(miss.architecture)), ("asked", .int(miss.asked)), ("devices", .int(miss.devices)),
            ("answeredPortable", .int(miss.answeredPortable)), ("firstAsked", OpsReport.moment(miss.first)),
            ("lastAsked", OpsReport.moment(miss.last)), ("state", .string(state)),
            ("publishedIn", .text(publishedIn?.text)), ("compile", .text(source?.line.text)),
            ("compileIn", .text(source?.version.text)),
        ])
    }
}

internal import HostSystem
internal import ModelCatalog

/// What a build says the compiler was told: facts for all assets, and facts for those of one architecture, which go
/// before the others one by one.
///
///     { "platform": "iOS", "preferredCompute": "gpu", "h18p": { "expectFrequentReshapes": true } }
struct CompileInformation: Equatable {
    private var general: CompileFacts
    /// By architecture; `portable` for the assets that have none.
    private var particular: [String: CompileFacts] = [:]

    static let portableKey = "portable"
    /// Octets.
    static let maximumSize = 1024 * 1024

    /// - Parameter place: the key that the value stands at, for what is said of a fault.
    init(_ json: StrictJSON, at place: String) throws(DocumentFault) {
        guard case .object(let members) = json else { throw DocumentFault("\"\(place)\" is no object") }
        general = try CompileFacts(json, at: place)
        // Objects are facts of an architecture; other keys are not known, and passed over.
        for (key, value) in members {
            if case .object = value { particular[key] = try CompileFacts(value, at: "\(place).\(key)") }
        }
    }

    /// The file of the `--compile-info` option: the object itself, or a document that has it at `compile`.
    static func read(_ path: String) throws(InspectionError) -> CompileInformation {
        let content: [UInt8]?
        do throws(Errno) {
            content = try FileDescriptor.openFile(operatorsPath: path).readAll(limit: maximumSize)
        } catch {
            throw .badDocument(path: PrintableText.of(path), reason: "cannot be read: \(error)")
        }
        do throws(DocumentFault) {
            let json = try StrictJSON.document(content, limit: maximumSize)
            return try CompileInformation(json.member("compile") ?? json, at: "compile")
        } catch {
            throw .badDocument(path: PrintableText.of(path), reason: error.description)
        }
    }

    /// What is said of one asset.
    func facts(for asset: AssetName) -> CompileFacts {
        (particular[asset.architecture?.text ?? Self.portableKey] ?? CompileFacts()).filled(from: general)
    }
}

extension CompileFacts {
    fileprivate init(_ json: StrictJSON, at place: String) throws(DocumentFault) {
        self.init(
            platform: try json.text("platform", at: place + "."),
            preferredCompute: try json.text("preferredCompute", at: place + "."),
            expectFrequentReshapes: try json.flag("expectFrequentReshapes", at: place + ".")
        )
    }

    /// These, and for what they leave open those of another.
    func filled(from other: CompileFacts) -> CompileFacts {
        CompileFacts(
            platform: platform ?? other.platform,
            preferredCompute: preferredCompute ?? other.preferredCompute,
            expectFrequentReshapes: expectFrequentReshapes ?? other.expectFrequentReshapes
        )
    }

    /// Nil where nothing is said.
    var unlessEmpty: CompileFacts? { self == CompileFacts() ? nil : self }
}

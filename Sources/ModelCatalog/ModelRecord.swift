/// What may change about a model: where its channels lead and what was withdrawn. Everything else is immutable.
package struct ModelRecord: Hashable, Sendable {
    package let channels: [ChannelName: Channel]
    /// In the order in which they were declared.
    package let withdrawals: [Withdrawal]

    /// False where there is a record that nobody could read: what was withdrawn is not known then, so nothing of the
    /// model can be vouched for.
    package let isKnown: Bool

    /// A model that has no record yet.
    package static let empty = ModelRecord(channels: [:], withdrawals: [])

    /// A model whose record cannot be read, and of which no earlier one is known.
    package static let unknown = ModelRecord(isKnown: false)

    /// The schema that this module reads and writes.
    package static let schemaVersion = 1

    package init(channels: [ChannelName: Channel], withdrawals: [Withdrawal]) {
        self.channels = channels
        self.withdrawals = withdrawals
        isKnown = true
    }

    private init(isKnown: Bool) {
        channels = [:]
        withdrawals = []
        self.isKnown = isKnown
    }

    /// Reads a record. Keys that are not known are ignored; only `schemaVersion` must be there.
    ///
    /// - Parameter model: whose folder the file lies in.
    package static func decode(_ bytes: [UInt8], model: ModelName) throws(RecordError) -> ModelRecord {
        let document = try document(bytes)
        guard document.schemaVersion.value == schemaVersion else {
            throw .unsupportedSchema(document.schemaVersion.value)
        }
        if let found = document.model, !sameBytes(found, model.text) {
            throw .misplaced(found: found, expected: model.text)
        }
        var channels: [ChannelName: Channel] = [:]
        // Sorted, so that of several faults the same one is always told.
        for (text, channel) in (document.channels ?? [:]).sorted(by: { precedesByBytes($0.key, $1.key) }) {
            guard let name = ChannelName(text) else {
                throw .invalid(at: "channels", text, rule: "a channel's name as in stable")
            }
            guard !name.isReserved else { throw .reservedChannel(name) }
            channels[name] = try channel.channel(at: "channels.\(text)")
        }
        var withdrawals: [Withdrawal] = []
        for (index, withdrawal) in (document.withdrawals ?? []).enumerated() {
            withdrawals.append(try withdrawal.withdrawal(at: "withdrawals[\(index)]"))
        }
        return ModelRecord(channels: channels, withdrawals: withdrawals)
    }

    /// The canonical bytes, as `Manifest.encoded` has them.
    ///
    /// - Parameter model: whose record it is; written where it is given, and checked when it is read again.
    /// - Throws: what `JSONEncoder` throws; nothing that a record can hold is known to make it.
    package func encoded(model: ModelName? = nil) throws -> [UInt8] {
        try JSONCoding.encode(ModelRecordDocument(self, model: model))
    }

    private static func document(_ bytes: [UInt8]) throws(RecordError) -> ModelRecordDocument {
        do {
            return try JSONCoding.decode(ModelRecordDocument.self, from: bytes)
        } catch {
            if let schema = try? JSONCoding.decode(ManifestDocument.SchemaOnly.self, from: bytes).schemaVersion.value,
                schema != schemaVersion
            {
                throw .unsupportedSchema(schema)
            }
            switch error {
            case .notJSON(let detail): throw .notJSON(detail)
            case .malformed(let place, let detail): throw .malformed(at: place, detail)
            }
        }
    }
}

/// Why some bytes are not the record of a model. Each says what, and where.
package enum RecordError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes are no JSON.
    case notJSON(String)
    /// A key that must be there is not, or its value is of another type.
    case malformed(at: String, String)
    /// A newer program wrote it.
    case unsupportedSchema(Int)
    /// The record speaks of another model.
    case misplaced(found: String, expected: String)
    /// A text that breaks the rule of its kind.
    case invalid(at: String, String, rule: String)
    case reservedChannel(ChannelName)
    /// Outside 1 to 100.
    case shareOutOfRange(at: String, Int)

    package var description: String {
        switch self {
        case .notJSON(let detail):
            "the record is not JSON (\(detail)); it may be cut short: put back the one before, or promote anew"
        case .malformed(let place, let detail):
            "\(place): \(detail)"
        case .unsupportedSchema(let schema):
            "schemaVersion is \(schema), and this program reads \(ModelRecord.schemaVersion) only: "
                + "use the aimodel-host that wrote it, or a newer one"
        case .misplaced(let found, let expected):
            "model is \(quoted(found)), but the record stands where that of \(quoted(expected)) belongs"
        case .invalid(let place, let text, let rule):
            "\(place): \(quoted(text)) is not \(rule)"
        case .reservedChannel(let name):
            "channels: \(name) is reserved; it cannot be pointed anywhere"
        case .shareOutOfRange(let place, let share):
            "\(place) is \(share); it is a percentage from 1 to 100"
        }
    }
}

/// All that is published at one moment. A value that never changes: a request takes it once and keeps it to its end,
/// whatever is published meanwhile. Entries are shared between snapshots.
package struct CatalogSnapshot: Sendable {
    /// Grows by one with every replacement.
    package let generation: UInt64
    /// By name. Ask `model(_:)`: this dictionary takes canonically equivalent texts for equal.
    package let models: [String: ModelEntry]
    /// Sorted by their bytes.
    package let sortedNames: [String]

    /// Nothing is published yet.
    package static let empty = CatalogSnapshot(generation: 0, entries: [])

    /// - Parameter entries: of two for one model the last counts.
    package init(generation: UInt64, entries: [ModelEntry]) {
        self.init(
            generation: generation,
            models: Dictionary(entries.map { ($0.name.text, $0) }, uniquingKeysWith: { $1 })
        )
    }

    private init(generation: UInt64, models: [String: ModelEntry]) {
        self.generation = generation
        self.models = models
        self.sortedNames = models.keys.sorted(by: precedesByBytes)
    }

    /// The model of exactly this name.
    package func model(_ name: String) -> ModelEntry? {
        // U+212A is canonically equivalent to "K": the dictionary finds the one when asked for the other.
        guard let entry = models[name], sameBytes(entry.name.text, name) else { return nil }
        return entry
    }

    /// The next snapshot: these entries put in or exchanged, those models taken out, all others shared.
    package func replacing(_ entries: [ModelEntry], removing gone: [ModelName] = []) -> CatalogSnapshot {
        var models = models
        for name in gone { models[name.text] = nil }
        for entry in entries { models[entry.name.text] = entry }
        return CatalogSnapshot(generation: generation &+ 1, models: models)
    }
}

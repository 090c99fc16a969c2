internal import HTTPWire
internal import ModelCatalog
internal import ModelStore

/// What became of a model's record, for people or programs.
struct RecordReport {
    private let change: RecordChange

    init(_ change: RecordChange) {
        self.change = change
    }

    /// After a promotion or a rollback.
    func show(_ model: ModelName, _ name: ChannelName, asJSON: Bool) {
        showRemarks()
        guard let channel = change.channel else { return }
        if asJSON {
            return Output.json([
                ("model", .string(model.text)),
                ("channel", .string(name.text)),
                ("version", .string(channel.version.text)),
                ("share", .int(Int64(channel.share))),
                ("previous", change.previous.map { .string($0.version.text) } ?? .null),
                ("changed", .bool(change.changed)),
                ("remarks", .array(change.remarks.map { .string($0.description) })),
            ])
        }
        let share = channel.share < 100 ? " for \(channel.share) % of the devices" : ""
        Output.line(
            change.changed
                ? "\(model) \(name) now leads to \(channel.version)\(share)"
                : "\(model) \(name) leads to \(channel.version)\(share) already"
        )
    }

    /// After a withdrawal.
    func show(_ model: ModelName, _ version: Version, _ architecture: Architecture?, asJSON: Bool) {
        showRemarks()
        if asJSON {
            return Output.json([
                ("model", .string(model.text)),
                ("version", .string(version.text)),
                ("architecture", architecture.map { .string($0.text) } ?? .null),
                ("changed", .bool(change.changed)),
                ("remarks", .array(change.remarks.map { .string($0.description) })),
            ])
        }
        let what = architecture.map { "the variant for \($0) of \(model) \(version)" } ?? "\(model) \(version)"
        Output.line(change.changed ? "\(what) is withdrawn" : "\(what) was withdrawn already, in these words")
    }

    private func showRemarks() {
        for remark in change.remarks { Output.errorText("\(Terminal.yellow("note:")) \(remark)\n") }
    }
}

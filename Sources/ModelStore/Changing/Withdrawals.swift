internal import ModelCatalog

/// What may be given as the reason of a withdrawal.
enum WithdrawalReason {
    /// Octets. It stands in each refusal.
    static let maximumSize = 1000

    /// The reason without blanks around it. Throws `.unusableReason`.
    static func checked(_ text: String) throws(ChangeError) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { throw .unusableReason(rule: "empty") }
        let trimmed = String(scalars[first...last])
        guard trimmed.utf8.count <= maximumSize else {
            throw .unusableReason(rule: "longer than \(maximumSize) octets")
        }
        // It is shown on terminals and put into logs, one line each.
        let breaks: [Unicode.GeneralCategory] = [.control, .lineSeparator, .paragraphSeparator]
        guard !trimmed.unicodeScalars.contains(where: { breaks.contains($0.properties.generalCategory) }) else {
            throw .unusableReason(rule: "not one line without control characters")
        }
        return trimmed
    }
}

/// What a withdrawal means for the rest of the record.
enum WithdrawalEffects {
    /// Channels that lead to what is withdrawn, and older withdrawals that name it as the replacement.
    static func remarks(on withdrawal: Withdrawal, in record: ModelRecord) -> [ChangeRemark] {
        // One architecture's withdrawal leaves the version to all others: no channel needs to be moved.
        guard withdrawal.architecture == nil else { return [] }
        let version = withdrawal.version
        let channels = record.channels.filter { _, channel in
            channel.version == version || (channel.share < 100 && channel.history.first?.version == version)
        }
        let replaced = Set(record.withdrawals.filter { $0.replacement == version }.map(\.version))
        return channels.keys.sorted().map { .channelLeadsThere($0, version, replacement: withdrawal.replacement) }
            + replaced.sorted().map { .replacedByWithdrawn($0, replacement: version) }
    }
}

extension ModelEntry {
    /// Why nobody can download this version, nil where everybody can.
    func obstacle(to version: Version) -> Obstacle? {
        if self.version(version) == nil { return .notPublished }
        return withdrawal(of: version) == nil ? nil : .withdrawn
    }
}

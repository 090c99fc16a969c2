/// What is left of a body.
extension Body {
    /// Octets that are there without making pieces.
    var knownCount: Int {
        switch self {
        case .none, .pieces: 0
        case .memory(_, let range): range.count
        // A file's size is no more than an Int64 holds.
        case .file(_, _, let count): Int(count)
        }
    }

    var hasPieces: Bool {
        if case .pieces = self { return true }
        return false
    }

    /// The body behind its first `count` octets, which it must have.
    func dropping(_ count: Int) -> Body {
        switch self {
        case .none, .pieces: self
        case .memory(let octets, let range): .memory(octets, range.lowerBound + count..<range.upperBound)
        case .file(let file, let offset, let left):
            .file(file, offset: offset + UInt64(count), count: left - UInt64(count))
        }
    }
}

/// Which names somebody may have meant who wrote one that is not there.
package enum SpellingSuggestions {
    /// No more names than this are looked at, so that a mistyped name costs the server little however much it holds.
    static let maximumCandidates = 4096
    /// Longer texts are not compared: a model's name has 128 bytes.
    static let maximumBytes = 128

    /// The names that are close, the closest first, those equally close in the order of `names`.
    ///
    /// Close is: up to one edit (a letter put in, taken out, exchanged, or two neighbours swapped) for each three
    /// bytes, three at most; a difference of ASCII case is no edit, and ranks first.
    package static func close(to text: String, among names: [String], limit: Int = 3) -> [String] {
        let wanted = folded(text)
        guard !wanted.isEmpty, wanted.count <= maximumBytes, limit > 0 else { return [] }
        let bound = min(3, max(1, wanted.count / 3))
        var found: [(distance: Int, name: String)] = []
        for name in names.prefix(maximumCandidates) {
            guard abs(name.utf8.count - wanted.count) <= bound else { continue }
            guard let distance = distance(wanted, folded(name), bound: bound) else { continue }
            // After all that are as close, and the list never grows beyond the limit.
            let place = found.firstIndex { $0.distance > distance } ?? found.endIndex
            guard place < limit else { continue }
            found.insert((distance, name), at: place)
            if found.count > limit { found.removeLast() }
        }
        return found.map(\.name)
    }

    private static func folded(_ text: String) -> [UInt8] {
        text.utf8.map { $0.isASCIIUpper ? $0 | 0x20 : $0 }
    }

    /// The optimal string alignment distance, or nil where it passes `bound`. Only the cells within `bound` of the
    /// diagonal are computed: the others cannot be part of a result that counts.
    private static func distance(_ left: [UInt8], _ right: [UInt8], bound: Int) -> Int? {
        let beyond = bound + 1
        var beforeLast = [Int](repeating: beyond, count: right.count + 1)
        var last = (0...right.count).map { min($0, beyond) }
        for row in stride(from: 1, through: left.count, by: 1) {
            var current = [Int](repeating: beyond, count: right.count + 1)
            if row <= bound { current[0] = row }
            var best = current[0]
            let first = max(1, row - bound)
            for column in stride(from: first, through: min(right.count, row + bound), by: 1) {
                let same = left[row - 1] == right[column - 1]
                var cost = min(last[column - 1] + (same ? 0 : 1), last[column] + 1, current[column - 1] + 1)
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                    cost = min(cost, beforeLast[column - 2] + 1)
                }
                current[column] = min(cost, beyond)
                best = min(best, current[column])
            }
            if best > bound { return nil }
            beforeLast = last
            last = current
        }
        return last[right.count] <= bound ? last[right.count] : nil
    }
}

internal import ModelCatalog

/// A quick guess at the order of versions: the first three numbers in the name.
///
/// The catalog sorts by the true order, whose comparisons parse both names. A folder comes in the order of its hashes,
/// and sorting 20,000 versions from there took 0.4 s; brought into nearly the right order before, the true sort has
/// little more to do than to confirm it. A wrong guess costs time, never truth.
struct RoughOrder: Comparable {
    private let numbers: (UInt64, UInt64, UInt64)

    init(_ version: Version) {
        var numbers: [3 of UInt64] = [0, 0, 0]
        var place = 0
        var inNumber = false
        for byte in version.text.utf8 {
            if byte >= 0x30 && byte <= 0x39 {
                inNumber = true
                numbers[place] = numbers[place] &* 10 &+ UInt64(byte - 0x30)
            } else if inNumber {
                inNumber = false
                place += 1
                if place == 3 { break }
            }
        }
        self.numbers = (numbers[0], numbers[1], numbers[2])
    }

    static func == (left: RoughOrder, right: RoughOrder) -> Bool { left.numbers == right.numbers }
    static func < (left: RoughOrder, right: RoughOrder) -> Bool { left.numbers < right.numbers }

    /// The entries, roughly newest first.
    static func newestFirst(_ entries: [VersionEntry]) -> [VersionEntry] {
        entries.map { (order: RoughOrder($0.version), entry: $0) }.sorted { $0.order > $1.order }.map(\.entry)
    }
}

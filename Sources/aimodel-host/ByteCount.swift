/// Sizes for people, in powers of 1000 as storage screens show them.
enum ByteCount {
    static func text(_ octets: UInt64) -> String {
        guard octets >= 1000 else { return "\(octets) B" }
        var value = Double(octets)
        var unit = 0
        let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
        while value >= 999.95, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}

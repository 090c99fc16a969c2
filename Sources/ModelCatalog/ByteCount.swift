/// Sizes for people, in powers of 1000 as storage screens show them.
package enum ByteCount {
    /// `octets` with one decimal and its unit, such as `68.9 kB`; below 1000 as they are.
    package static func text(_ octets: UInt64) -> String {
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

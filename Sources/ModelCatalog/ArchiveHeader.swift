/// The header blocks of one archive entry: POSIX.1-2001 pax interchange format over ustar.
///
///     offset  0    100   108  116  124   136    148     156       157       257    263      265    297    329       337       345     500
///     field   name mode  uid  gid  size  mtime  chksum  typeflag  linkname  magic  version  uname  gname  devmajor  devminor  prefix  pad
///
/// The bytes never change from one release of this program to the next: the archive's digest stands in manifests.
struct ArchiveHeader {
    static let blockSize = 512
    /// 8 GiB - 1: eleven octal digits.
    private static let greatestSize: UInt64 = 0o777_7777_7777

    private let name: [UInt8]
    private let size: UInt64

    init(asset: AssetName, file: ManifestFile) {
        name = Array(asset.text.utf8) + [UInt8(ascii: "/")] + Array(file.path.text.utf8)
        size = file.size
    }

    /// How many bytes of headers come before the file's own: 512, or 1,536 and more with a pax header.
    var byteCount: Int {
        let extended = records
        return extended.isEmpty ? Self.blockSize : 2 * Self.blockSize + Self.padded(extended.count)
    }

    var bytes: [UInt8] {
        let extended = records
        guard !extended.isEmpty else { return Self.block(name: fallbackName, size: size, type: "0") }
        var bytes = Self.block(name: (Array("PaxHeaders".utf8), []), size: UInt64(extended.count), type: "x")
        bytes += extended
        bytes += [UInt8](repeating: 0, count: Self.padded(extended.count) - extended.count)
        bytes += Self.block(name: fallbackName, size: size <= Self.greatestSize ? size : 0, type: "0")
        return bytes
    }

    static func padded(_ count: Int) -> Int { (count + blockSize - 1) / blockSize * blockSize }

    // MARK: What ustar can say

    /// Cut at a slash into 100 bytes of name and up to 155 of prefix; nil where that does not work out.
    /// The cut is the first slash that leaves a name short enough: the prefix is then as short as it can be.
    private static func split(_ name: [UInt8]) -> (name: [UInt8], prefix: [UInt8])? {
        if name.count <= 100 { return (name, []) }
        guard name.count <= 256 else { return nil }
        guard let slash = name[(name.count - 101)...].firstIndex(of: UInt8(ascii: "/")), slash > 0, slash <= 155 else {
            return nil
        }
        return (Array(name[(slash + 1)...]), Array(name[..<slash]))
    }

    /// What a reader that knows no pax makes of the name: itself where it fits, else a question mark for each byte
    /// that is not ASCII, and its first 100 bytes.
    private var fallbackName: (name: [UInt8], prefix: [UInt8]) {
        let ascii = name.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }
        return Self.split(ascii) ?? (Array(ascii.prefix(100)), [])
    }

    // MARK: What pax says instead

    /// Only what ustar cannot say.
    private var records: [UInt8] {
        var records: [UInt8] = []
        if Self.split(name) == nil || name.contains(where: { $0 >= 0x80 }) { records += Self.record("path", name) }
        if size > Self.greatestSize { records += Self.record("size", Array(String(size).utf8)) }
        return records
    }

    /// `<length> <key>=<value>` and a line feed, where the length counts its own digits too.
    private static func record(_ key: String, _ value: [UInt8]) -> [UInt8] {
        let rest = 1 + key.utf8.count + 1 + value.count + 1
        var length = rest
        while rest + String(length).utf8.count != length { length = rest + String(length).utf8.count }
        return Array("\(length) \(key)=".utf8) + value + [UInt8(ascii: "\n")]
    }

    // MARK: One block

    private static func block(name: (name: [UInt8], prefix: [UInt8]), size: UInt64, type: Unicode.Scalar) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: blockSize)
        func put(_ bytes: some Collection<UInt8>, at offset: Int) {
            for (index, byte) in bytes.enumerated() { block[offset + index] = byte }
        }
        put(name.name, at: 0)
        put(octal(0o644, digits: 7), at: 100)
        put(octal(0, digits: 7), at: 108)
        put(octal(0, digits: 7), at: 116)
        put(octal(size, digits: 11), at: 124)
        put(octal(0, digits: 11), at: 136)
        // The checksum is taken with its own field full of spaces.
        put([UInt8](repeating: UInt8(ascii: " "), count: 8), at: 148)
        block[156] = UInt8(ascii: type)
        put("ustar".utf8, at: 257)
        put("00".utf8, at: 263)
        put(octal(0, digits: 7), at: 329)
        put(octal(0, digits: 7), at: 337)
        put(name.prefix, at: 345)
        let sum = block.reduce(UInt64(0)) { $0 + UInt64($1) }
        put(octal(sum, digits: 6) + [0], at: 148)
        return block
    }

    private static func octal(_ value: UInt64, digits: Int) -> [UInt8] {
        let text = String(value, radix: 8)
        return Array(repeating: UInt8(ascii: "0"), count: digits - text.utf8.count) + Array(text.utf8)
    }
}

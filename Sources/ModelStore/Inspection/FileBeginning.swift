/// What the first octets of a file say of it.
enum FileBeginning {
    /// How many of them are looked at.
    static let length = max(magic.count, pointer.count)

    /// MLIR bytecode, version 1 and later.
    private static let magic: [UInt8] = [0x4D, 0x4C, 0xEF, 0x52]

    private static let pointer = Array("version https://git-lfs.github.com/spec/v1".utf8)
    /// Octets; the specification of Git LFS: a pointer file is smaller than this.
    private static let pointerLimit: Int64 = 1024

    static func isProgram(_ octets: [UInt8]) -> Bool { octets.starts(with: magic) }

    /// Whether a file of so many octets can be the pointer that Git LFS leaves where a content was not fetched.
    static func mayBePointer(size: Int64) -> Bool { size >= Int64(pointer.count) && size < pointerLimit }

    static func isPointer(_ octets: [UInt8]) -> Bool { octets.starts(with: pointer) }
}

internal import HTTPWire
internal import HostTransport

/// The body of a multipart/byteranges answer: a part's head, the part's octets, and so on, then the closing line.
struct MultipartBody: BodyPieces {
    private let parts: MultipartByteranges
    private let file: PreparedFile
    /// Pieces given so far: two for each part, then one.
    private var position = 0

    init(_ parts: MultipartByteranges, of file: PreparedFile) {
        self.parts = parts
        self.file = file
    }

    /// A part that is itself made of pieces.
    private var inner: (any BodyPieces)?

    mutating func next() -> BodyPiece? {
        if let piece = inner?.next() { return piece }
        inner = nil
        let piece = position
        position += 1
        let index = piece / 2
        if index < parts.ranges.count {
            if piece % 2 == 0 { return .memory(parts.partHead(index)) }
            switch file.body(parts.ranges[index]) {
            case .memory(let octets, let range): return .memory(Array(octets[range]))
            case .file(let file, let offset, let count): return .file(file, offset: offset, count: count)
            case .pieces(let pieces):
                inner = pieces
                return inner?.next() ?? .unavailable
            case .none: return .unavailable
            }
        }
        return piece == parts.ranges.count * 2 ? .memory(parts.closing) : nil
    }
}

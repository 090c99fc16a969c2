internal import HTTPWire

/// Follows the body of a request that is read only to be dropped.
struct BodyReader {
    enum Step { case needsMore, finished(length: Int), invalid, tooLong }

    /// Octets of the head before it.
    let headLength: Int
    private let framing: BodyFraming
    /// Octets of content that the handler takes; 0: they are dropped.
    let limit: Int
    private var decoder = ChunkedDecoder()
    /// Octets, from the start of the head, that have been looked at.
    private var position: Int

    init(headLength: Int, framing: BodyFraming, limit: Int = 0) {
        self.headLength = headLength
        self.framing = framing
        self.limit = limit
        position = headLength
    }

    /// Looks at the request's octets, which begin at its head.
    mutating func advance(_ bytes: Span<UInt8>, limit: UInt64) -> Step {
        switch framing {
        case .none:
            return .finished(length: headLength)
        case .length(let length):
            guard length <= limit else { return .tooLong }
            let end = headLength + Int(length)
            return bytes.count >= end ? .finished(length: end) : .needsMore
        case .chunked:
            while true {
                switch decoder.next(bytes, from: &position) {
                case .data: continue
                case .finished: return .finished(length: position)
                case .invalid: return .invalid
                case .needsMore: return UInt64(bytes.count - headLength) > limit ? .tooLong : .needsMore
                }
            }
        }
    }

    /// The content of a request that has arrived whole, without its framing.
    func content(_ bytes: Span<UInt8>) -> [UInt8] {
        var content: [UInt8] = []
        var position = headLength
        switch framing {
        case .none: return []
        case .length(let length):
            for index in headLength..<headLength + Int(length) { content.append(bytes[index]) }
            return content
        case .chunked:
            var decoder = ChunkedDecoder()
            while case .data(let range) = decoder.next(bytes, from: &position) {
                for index in range { content.append(bytes[index]) }
            }
            return content
        }
    }
}

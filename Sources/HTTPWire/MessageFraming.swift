/// Collects what decides about the body's length (RFC 9112, sections 6.1 to 6.3).
///
/// Every doubt is refused: a body whose end two servers see in different places is how requests are smuggled.
struct FramingReader {
    private var length: UInt64?
    private var codings = TransferCodings()

    /// `Content-Length = 1*DIGIT`; the same value again, on another line or in a list, counts as one (section 6.3).
    mutating func takeContentLength(_ bytes: Span<UInt8>, _ value: Range<Int>) -> BadRequest? {
        var elements = ListElements(value)
        while let element = elements.next(bytes) {
            guard let number = Decimal.parse(bytes, element) else { return .invalidContentLength }
            if let length, length != number { return .conflictingFraming }
            length = number
        }
        return nil
    }

    /// Lines of the same name are one list (RFC 9110, section 5.3).
    mutating func takeTransferEncoding(_ bytes: Span<UInt8>, _ value: Range<Int>) {
        codings.take(bytes, value)
    }

    /// Decides, once all fields are read; nil if `framing` is set.
    func finish(minorVersion: UInt8, _ framing: inout BodyFraming) -> Refusal? {
        guard codings.isPresent else {
            framing = length.map(BodyFraming.length) ?? .none
            return nil
        }
        if minorVersion == 0 { return .badRequest(.transferEncodingInHTTP10) }
        if length != nil { return .badRequest(.conflictingFraming) }
        guard codings.endWithOneChunked else { return .badRequest(.invalidTransferEncoding) }
        guard !codings.hasOthers else { return .notImplemented }
        framing = .chunked
        return nil
    }
}

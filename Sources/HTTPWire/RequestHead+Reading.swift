/// The second pass over a head: one walk from left to right. The first pass has made sure that lines end with CR LF,
/// that no other control octet than HTAB is among them, and that no limit but the target's is passed.
extension RequestHead {
    /// Reads the complete head `bytes[..<end]`; nil if it is good.
    mutating func read(_ bytes: Span<UInt8>, end: Int, limits: RequestLimits) -> Refusal? {
        clear()
        length = end
        var position = 0
        while bytes[position] == Octets.cr { position &+= 2 }

        var line = Self.line(bytes, from: position)
        if let refusal = readRequestLine(bytes, line, limits: limits) { return refusal }

        var framing = FramingReader()
        var connection = ConnectionReader()
        position = line.upperBound &+ 2
        line = Self.line(bytes, from: position)
        while !line.isEmpty {
            switch FieldLineReader.read(bytes, line) {
            case .failure(let cause):
                return .badRequest(cause)
            case .success(let field):
                guard append(field.name, field.value) else { return .headerFieldsTooLarge }
                if let cause = take(field, bytes, &framing, &connection) { return .badRequest(cause) }
            }
            position = line.upperBound &+ 2
            line = Self.line(bytes, from: position)
        }
        // RFC 9112, section 3.2: a request of 1.1 names its host. One of 1.0 need not.
        if minorVersion > 0, !contains(.host) { return .badRequest(.missingHost) }
        persistent = connection.isPersistent(minorVersion: minorVersion)
        return framing.finish(minorVersion: minorVersion, &self.framing) ?? finishExpectation()
    }

    /// Acts on the fields that decide about the message itself.
    private mutating func take(
        _ field: FieldLineReader.Field,
        _ bytes: Span<UInt8>,
        _ framing: inout FramingReader,
        _ connection: inout ConnectionReader
    ) -> BadRequest? {
        switch field.name {
        case .host:
            if count(of: .host) > 1 { return .duplicateHost }
            // An empty value is what a client sends whose target has no authority (RFC 9110, section 7.2).
            return field.value.isEmpty || Authority.isValid(bytes, field.value, portRequired: false)
                ? nil : .invalidHost
        case .contentLength:
            return framing.takeContentLength(bytes, field.value)
        case .transferEncoding:
            framing.takeTransferEncoding(bytes, field.value)
        case .connection:
            connection.take(bytes, field.value)
        case .expect:
            takeExpectation(bytes, field.value)
        default:
            break
        }
        return nil
    }

    private mutating func takeExpectation(_ bytes: Span<UInt8>, _ value: Range<Int>) {
        var elements = ListElements(value)
        while let element = elements.next(bytes) {
            if element.isEmpty { continue }
            if !Octets.equalIgnoringCase(bytes.extracting(element), "100-continue") {
                expectation = .unsupported
            } else if expectation == .none {
                expectation = .continue
            }
        }
    }

    /// RFC 9110, section 10.1.1: an expectation in HTTP/1.0 is ignored; no 100 is due where no content follows.
    private mutating func finishExpectation() -> Refusal? {
        let hasContent = framing != .none && framing != .length(0)
        if minorVersion == 0 || (expectation == .continue && !hasContent) { expectation = .none }
        return nil
    }

    /// The line that begins at `start`, without its CR LF.
    private static func line(_ bytes: Span<UInt8>, from start: Int) -> Range<Int> {
        start..<Octets.position(of: Octets.cr, in: bytes, start..<bytes.count)
    }
}

internal import HTTPWire
internal import HostTransport

/// What is the same at every path, whatever stands there.
extension Renderer {
    /// The answer to what is neither GET nor HEAD, or expects what nobody does here; nil where content is asked for.
    func refusal(
        of head: RequestHead,
        _ bytes: Span<UInt8>,
        _ exchange: Exchange,
        _ out: inout ResponseHead
    ) -> Body? {
        let isAnswered = head.method == .get || head.method == .head
        if isAnswered, head.expectation != .unsupported { return nil }
        let instance = ProblemDetails.instance(bytes.extracting(head.path))
        if head.expectation == .unsupported { return problem(.expectationFailed(at: instance), exchange, &out) }
        switch head.method {
        case .options: return options(exchange, &out)
        case .other: return problem(.unknownMethod(at: instance), exchange, &out)
        default: return problem(.methodNotAllowed(head.method.name, at: instance), exchange, &out)
        }
    }
}

extension Renderer.Exchange {
    /// An answer that no request asked for.
    static func rejected(toHEAD: Bool) -> Renderer.Exchange {
        Renderer.Exchange(isHEAD: toHEAD, minorVersion: 1, persistent: false)
    }

    init(_ head: RequestHead, persistent: Bool) {
        self.init(isHEAD: head.method == .head, minorVersion: head.minorVersion, persistent: persistent)
    }
}

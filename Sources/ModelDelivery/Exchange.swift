package import Foundation

/// One request.
package struct ExchangeRequest: Sendable {
    package var url: URL
    package var method = "GET"
    /// In order. `Host`, `Connection` and `Content-Length` are the transport's own.
    package var fields: [(name: String, value: String)]
    package var body: [UInt8] = []
    /// The longest silence, while connecting and between bytes.
    package var stallTimeout: Duration

    package init(url: URL, fields: [(name: String, value: String)] = [], stallTimeout: Duration = .seconds(30)) {
        self.url = url
        self.fields = fields
        self.stallTimeout = stallTimeout
    }
}

/// The head of an answer.
package struct AnswerHead: Sendable {
    package let status: Int
    /// As they came.
    package let fields: [(name: String, value: String)]

    package init(status: Int, fields: [(name: String, value: String)]) {
        self.status = status
        self.fields = fields
    }

    /// The value of a field; of several, joined as RFC 9110, section 5.3 has it. nil where there is none.
    package subscript(_ name: String) -> String? {
        let values = fields.filter { $0.name.lowercased() == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// What the head says of the body's length; nil where it says nothing or nonsense.
    package var contentLength: UInt64? { self["content-length"].flatMap { UInt64($0) } }
}

/// Where an answer goes to. Called by one thread at a time, in order: a head, then pieces. What it throws ends the
/// exchange, which throws the same.
package protocol AnswerReceiver: Sendable {
    func begin(_ head: AnswerHead) throws(DeliveryError)
    /// The bytes are the receiver's until it returns. The transport takes no more from the network meanwhile, so a
    /// slow disk slows the sender and costs no memory.
    func receive(_ bytes: UnsafeRawBufferPointer) throws(DeliveryError)
}

/// What carries a request to a host and its answer back. Redirects are answers like any other.
package protocol ExchangeTransport: Sendable {
    /// - Throws: `network` where there is no answer or not the whole of it, `cancelled` as soon as the task is, and
    ///   what the receiver throws. Returns when the answer is whole, by its own framing.
    func exchange(_ request: ExchangeRequest, _ receiver: any AnswerReceiver) async throws(DeliveryError)
}

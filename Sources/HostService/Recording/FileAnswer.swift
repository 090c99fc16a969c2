internal import HTTPWire
internal import HostTransport

/// An answer about a file whose head is written: its content, and what the ledger is to know of it.
struct FileAnswer {
    let status: UInt16
    /// Octets of the file's content that the answer carries, the framing of several ranges included; 0 where it carries
    /// none of it.
    var contentLength: UInt64 = 0
    /// The one range of a 206.
    var range: ByteRange?
    /// The ranges of a multipart/byteranges answer.
    var parts: [ClosedRange<UInt64>] = []
    var body = Body.none
}

internal import HTTPWire
internal import HostSystem
internal import HostTelemetry
internal import HostTransport
internal import ModelCatalog

/// A published file (or an archive, or a manifest), opened, with the fields of its answers prepared: what a steady GET needs and nothing else.
///
/// A value that never changes; loops keep it in their caches and may share it.
final class PreparedFile: Sendable {
    enum Content: Sendable {
        /// A small file's octets, held against its digest when they were read.
        case memory([UInt8])
        case file(SharedFile)
        /// An asset as one archive, which exists nowhere.
        case archive(ArchiveSource)
    }

    /// What an answer about it is to the ledger.
    enum Subject: Sendable {
        /// A download, or a part of one.
        case download(FileIdentity)
        /// A question for a version.
        case manifest(ModelName, Version)
    }

    /// What the opener knows of a file before it opens it.
    struct Description: Sendable {
        /// Path below the document root.
        let path: String
        let size: UInt64
        let digest: ContentDigest
        /// nil where the moment is not past: Last-Modified must not be later than Date (RFC 9110 8.8.2.1).
        let lastModified: HTTPDate?
        let mediaType: String
        let subject: Subject
    }

    let description: Description
    let content: Content
    /// What the file was when it was opened; nil for what is no file of the tree (an archive, a manifest).
    let status: FileStatus?
    /// The strong entity tag with its quotes.
    let etag: [UInt8]
    /// Field lines that every answer about the file carries, ETag first.
    let validatorFields: [UInt8]
    /// Field lines of an answer with its content (200, 206), without Content-Type and Content-Length.
    let contentFields: [UInt8]
    /// Field lines of the whole file: contentFields, Content-Type and Content-Length.
    let wholeFields: [UInt8]

    var size: UInt64 { description.size }
    var lastModified: HTTPDate? { description.lastModified }
    var mediaType: String { description.mediaType }

    /// Deterministic, so that two hosts give the same octets; the digest's hexadecimal digits are not in the file
    /// but by a fixed point of SHA-256.
    var boundary: String { String(description.digest.hex.prefix(40)) }

    init(_ description: Description, content: Content, status: FileStatus? = nil) {
        self.description = description
        self.content = content
        self.status = status
        etag = Array("\"\(description.digest.hex)\"".utf8)

        var validators = ResponseFields()
        validators.add("ETag", etag)
        validators.add("Cache-Control", "public, max-age=31536000, immutable")
        validators.add(CrossOrigin.fields)
        validatorFields = validators.octets

        var fields = validators
        if let lastModified = description.lastModified {
            var date: [UInt8] = []
            lastModified.write(into: &date)
            fields.add("Last-Modified", date)
        }
        fields.add("Accept-Ranges", "bytes")
        // RFC 9530, and RFC 3230 beside it, which is what clients of today look for.
        fields.add("Repr-Digest", "sha-256=:\(description.digest.base64):")
        fields.add("Digest", "SHA-256=\(description.digest.base64)")
        fields.add("X-Content-Type-Options", "nosniff")
        contentFields = fields.octets

        fields.add("Content-Type", description.mediaType)
        fields.add("Content-Length", String(description.size))
        wholeFields = fields.octets
    }

    /// The whole file or a part of it, as a body.
    func body(_ range: ByteRange?) -> Body {
        let first = range?.first ?? 0
        let count = range?.count ?? size
        switch content {
        case .memory(let octets):
            return .memory(octets, Int(first)..<Int(first + count))
        case .file(let file):
            return .file(file, offset: first, count: count)
        case .archive(let source):
            return .pieces(ArchiveBody(source, offset: first, count: count))
        }
    }
}

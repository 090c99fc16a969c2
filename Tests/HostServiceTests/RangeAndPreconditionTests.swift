import ModelCatalog
import TestSupport
import Testing

@Suite("RFC 9110 13, 14: ranges and preconditions of files", .waits, .served(RangeCase.publish))
struct RangeAndPreconditionTests {
    /// A file kept in memory, one sent by sendfile(2), the manifest, and an archive, which exists nowhere.
    enum Subject: String, CaseIterable {
        case small = "M.aimodel/small.bin"
        case large = "M.aimodel/large.bin"
        case manifest = "manifest.json"
        case archive = "M.aimodel.tar"

        var target: String { "/models/M/1.0.0/\(rawValue)" }
        var mediaType: String {
            switch self {
            case .small, .large: "application/octet-stream"
            case .manifest: "application/json"
            case .archive: "application/x-tar"
            }
        }

        func octets() throws -> [UInt8] {
            switch self {
            case .small, .large: try Served.octets("models/M/1.0.0/\(rawValue)")
            case .manifest: try Disk.read(Served.running().store.manifestPath("M", "1.0.0"))
            case .archive: try ArchiveTests.octets(of: "M.aimodel", "M", "1.0.0", Served.running())
            }
        }
    }

    @Test("GET", arguments: RangeCase.all, Subject.allCases)
    func get(_ row: RangeCase, _ subject: Subject) throws {
        let octets = try subject.octets()
        let etag = "\"\(ContentDigest.sha256(of: octets).hex)\""
        let fields = row.lines(etag: etag, length: octets.count)
        // Twice: the first answer comes from the disk or the catalog, the second from what the loop keeps.
        let connection = try Served.running().connect()
        for _ in 0..<2 {
            let answer = try connection.request("GET", subject.target, fields)
            try expectCommon(answer, etag)
            try expect(row.answer, answer, octets, subject)
        }
    }

    @Test(
        "9.3.2, 14.2: HEAD ignores Range and gives what GET without it gives, but no content",
        arguments: RangeCase.all
    )
    func head(_ row: RangeCase) throws {
        let octets = try Subject.small.octets()
        let etag = "\"\(ContentDigest.sha256(of: octets).hex)\""
        let fields = row.lines(etag: etag, length: octets.count)
        let withoutRange = fields.filter { $0.0 != "Range" && $0.0 != "If-Range" }
        let connection = try Served.running().connect()
        let head = try connection.request("HEAD", Subject.small.target, fields)
        let get = try connection.request("GET", Subject.small.target, withoutRange)
        #expect(head.status == get.status)
        #expect(head.lines == get.lines)
        #expect(head["Content-Range"] == nil)
        // The next answer on the connection was where it had to be, so no octet of content came with this one.
        #expect(head.body.isEmpty)
        try expectCommon(head, etag)
    }

    struct EmptyCase: CustomTestStringConvertible, Sendable {
        let says: String
        let range: String
        let status: Int
        var testDescription: String { "RFC 9110 14.1.2: \(says)" }

        static let all = [
            EmptyCase(says: "the first octet of an empty file", range: "bytes=0-0", status: 416),
            EmptyCase(says: "an open range of an empty file", range: "bytes=0-", status: 416),
            EmptyCase(says: "any position of an empty file", range: "bytes=5-9", status: 416),
            EmptyCase(says: "several ranges of an empty file", range: "bytes=0-0,1-1", status: 416),
            EmptyCase(says: "a suffix of no octets of an empty file", range: "bytes=-0", status: 416),
            EmptyCase(says: "the last octet of an empty file is all of it", range: "bytes=-1", status: 200),
            EmptyCase(says: "a suffix of 2^64 of an empty file", range: "bytes=-18446744073709551616", status: 200),
            EmptyCase(says: "a suffix and more of an empty file", range: "bytes=0-0,-5", status: 200),
            EmptyCase(says: "another unit on an empty file", range: "items=0-0", status: 200),
        ]
    }

    @Test("An empty file", arguments: EmptyCase.all)
    func empty(_ row: EmptyCase) throws {
        let etag = "\"\(ContentDigest.sha256(of: []).hex)\""
        let answer = try Served.get("/models/M/1.0.0/M.aimodel/empty.bin", ("Range", row.range))
        #expect(answer.status == row.status)
        #expect(answer["Content-Range"] == (row.status == 416 ? "bytes */0" : nil))
        #expect(answer["ETag"] == etag)
        if row.status == 200 {
            #expect(answer["Content-Length"] == "0")
            #expect(answer.body.isEmpty)
        } else {
            #expect(answer["AIModel-Problem"] == "range-not-satisfiable")
        }
    }

    @Test(
        "RFC 9110 14.1.2: a file of one octet",
        arguments: ["bytes=0-", "bytes=0-0", "bytes=-1", "bytes=-2", "bytes=0-0,0-5"]
    )
    func one(_ range: String) throws {
        let answer = try Served.get("/models/M/1.0.0/M.aimodel/one.bin", ("Range", range))
        #expect(answer.status == 206)
        #expect(answer["Content-Range"] == "bytes 0-0/1")
        #expect(answer.text == "x")
    }

    @Test("RFC 9110 8.8.3: the same strong entity tag in 200, 206, multipart 206, 304, 412, 416 and to HEAD")
    func oneTag() throws {
        let target = Subject.large.target
        let connection = try Served.running().connect()
        let head = try connection.request("HEAD", target)
        let tag = try #require(head["ETag"])
        #expect(tag.utf8.count == 66 && tag.first == "\"" && tag.last == "\"")
        let requests: [(Int, [(String, String)])] = [
            (200, []), (206, [("Range", "bytes=0-9")]), (206, [("Range", "bytes=0-9,20-29")]),
            (304, [("If-None-Match", tag)]), (412, [("If-Match", "\"x\"")]), (416, [("Range", "bytes=40000-")]),
        ]
        for (status, fields) in requests {
            let answer = try connection.request("GET", target, fields)
            #expect(answer.status == status)
            #expect(answer["ETag"] == tag)
        }
    }

    @Test("RFC 9110 15.3.7.2: the boundary occurs nowhere in the file, and no answer to many ranges passes the file")
    func boundary() throws {
        let octets = try Subject.large.octets()
        let answer = try Served.get(Subject.large.target, ("Range", "bytes=0-9,20-29"))
        let body = try Multipart(answer.body, contentType: try #require(answer["Content-Type"]), lengths: [10, 10])
        let boundary = Array(body.boundary.utf8)
        #expect(!octets.indices.contains { octets[$0...].starts(with: boundary) })
    }

    // MARK: What an answer has to be

    private func expectCommon(_ answer: RawConnection.Response, _ etag: String) throws {
        #expect(answer["ETag"] == etag)
        #expect(answer["Date"] != nil)
        #expect(answer["Content-Encoding"] == nil)
        #expect(answer["Transfer-Encoding"] == nil)
        #expect(answer["Access-Control-Allow-Origin"] == "*")
        if answer.status < 300 {
            #expect(answer["Accept-Ranges"] == "bytes")
            #expect(answer["Last-Modified"] == RangeCase.date)
        }
    }

    private func expect(
        _ wanted: RangeCase.Answer,
        _ answer: RawConnection.Response,
        _ octets: [UInt8],
        _ subject: Subject
    ) throws {
        func position(_ position: Int) -> Int { position < 0 ? octets.count + position : position }
        switch wanted {
        case .whole:
            #expect(answer.status == 200)
            #expect(answer["Content-Range"] == nil)
            #expect(answer["Content-Type"] == subject.mediaType)
            #expect(answer.body == octets)
        case .part(let first, let last):
            let (first, last) = (position(first), position(last))
            #expect(answer.status == 206)
            #expect(answer["Content-Range"] == "bytes \(first)-\(last)/\(octets.count)")
            #expect(answer["Content-Type"] == subject.mediaType)
            #expect(answer.body == Array(octets[first...last]))
        case .parts(let ranges):
            let ranges = ranges.map { position($0.0)...position($0.1) }
            #expect(answer.status == 206)
            // RFC 9110 15.3.7.2: not in the head of an answer with several parts.
            #expect(answer["Content-Range"] == nil)
            let type = try #require(answer["Content-Type"])
            let body = try Multipart(answer.body, contentType: type, lengths: ranges.map(\.count))
            for (part, range) in zip(body.parts, ranges) {
                #expect(
                    part.fields == [
                        "Content-Type: \(subject.mediaType)",
                        "Content-Range: bytes \(range.lowerBound)-\(range.upperBound)/\(octets.count)",
                    ]
                )
                #expect(Array(part.body) == Array(octets[range]))
            }
        case .notModified:
            #expect(answer.status == 304)
            #expect(answer["Content-Length"] == nil)
            #expect(answer["Cache-Control"] == "public, max-age=31536000, immutable")
        case .failed:
            #expect(answer.status == 412)
            #expect(answer["AIModel-Problem"] == "precondition-failed")
            #expect(answer["Content-Range"] == nil)
        case .unsatisfiable:
            #expect(answer.status == 416)
            #expect(answer["AIModel-Problem"] == "range-not-satisfiable")
            #expect(answer["Content-Range"] == "bytes */\(octets.count)")
            #expect(try answer.json()["size"] == .int(Int64(octets.count)))
        }
    }
}

import Glibc
import HTTPWire
import HostSystem
import HostTransport

/// Answers by what the path says:
///
///     /memory/N              the first N octets of the content, from memory
///     /file, /file/N         the content as a file; a head that promises N octets of it
///     /sparse/AT/N           N octets of the file `sparse` from the offset AT on
///     /pieces/P,P,...        pieces: mN from memory, fN from the file, x for one that cannot be made; in sum the content
///     /job/GATE              a job that waits for the gate; its answer is `job GATE`
///     /again                 a job whose `resume` asks for another one
///     /hold/GATE             holds the loop itself until the gate is open
///     /content               what the request brought, 100 octets at most
///     /last                  an answer after which the connection ends
///     anything else          `NAME METHOD PATH`
final class ScriptedHandler: RequestHandler {
    private let name: String
    private let stage: Stage
    /// The paths asked for; a receipt is the place of one.
    private var asked: [String] = []

    init(name: String, stage: Stage) {
        self.name = name
        self.stage = stage
    }

    func respond(
        to head: RequestHead,
        _ bytes: Span<UInt8>,
        _ context: RequestContext,
        into out: inout ResponseHead
    ) -> Reply {
        let persistent = context.persistent
        let path = Self.text(bytes, head.path)
        let receipt = Receipt(Int32(asked.count))
        asked.append(path)
        let parts = path.split(separator: "/").map(String.init)
        let number = parts.count > 1 ? Int(parts[1]) : nil
        switch parts.first {
        case "job":
            return .offload { [stage] in
                stage.pass(String(path.dropFirst("/job/".count)))
                return "job \(path.dropFirst("/job/".count))"
            }
        case "again":
            return .offload { "again" }
        case "hold":
            stage.pass(parts[1])
        default:
            break
        }
        stage.state.update { $0.answered.append(path) }
        let isHTTP10 = head.minorVersion == 0
        switch parts.first {
        case "memory":
            let count = number ?? 0
            write(200, count, persistent, isHTTP10, into: &out)
            return .send(.memory(stage.content, 0..<count), receipt: receipt)
        case "file":
            let count = number ?? stage.content.count
            write(200, count, persistent, isHTTP10, into: &out)
            return .send(.file(openFile(stage.path), offset: 0, count: UInt64(count)), receipt: receipt)
        case "sparse":
            let count = parts.count > 2 ? Int(parts[2]) ?? 0 : 0
            write(200, count, persistent, isHTTP10, into: &out)
            return .send(
                .file(openFile(stage.path("sparse")), offset: UInt64(number ?? 0), count: UInt64(count)),
                receipt: receipt
            )
        case "pieces":
            let pieces = ScriptedPieces(parts[1], of: stage.content, in: openFile(stage.path)) { [stage] in
                stage.state.update { $0.handedOver.append(path) }
            }
            write(200, pieces.promised, persistent, isHTTP10, into: &out)
            return .send(.pieces(pieces), receipt: receipt)
        case "content":
            let size = context.isContentTooLong ? "too long" : "\(context.content.count)"
            let text = "\(size): \(String(decoding: context.content, as: UTF8.self))"
            return .send(self.text(text, persistent: persistent, isHTTP10, into: &out))
        case "last":
            return .sendThenClose(text("last", persistent: false, isHTTP10, into: &out))
        default:
            return .send(text("\(name) \(head.method.name) \(path)", persistent: persistent, isHTTP10, into: &out))
        }
    }

    func resume(
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        with found: any Sendable,
        _ context: RequestContext,
        into out: inout ResponseHead
    ) -> Reply {
        let answer = found as? String ?? "?"
        if answer == "again" { return .offload { "again" } }
        stage.state.update { $0.answered.append(Self.text(bytes, head.path)) }
        return .send(text(answer, persistent: context.persistent, head.minorVersion == 0, into: &out))
    }

    func reject(_ rejection: Rejection, toHEAD: Bool, into out: inout ResponseHead) -> Body {
        stage.state.update { $0.rejections.append(rejection) }
        let status =
            switch rejection {
            case .malformed, .malformedBody, .notSecure: 400
            case .timedOut: 408
            case .overCapacity: 503
            }
        let body = Array("\(rejection)".utf8)
        write(status, body.count, false, false, into: &out)
        return .memory(body, body.indices)
    }

    func contentLimit(for head: RequestHead, _ bytes: Span<UInt8>) -> Int {
        Self.text(bytes, head.path) == "/content" ? 100 : 0
    }

    func finished(_ receipt: Receipt, octets: UInt64, unacknowledged: UInt64, at milliseconds: Int64) {
        stage.state.update {
            $0.finished.append("\(asked[Int(receipt.number)]) \(octets)")
            $0.unacknowledged.append(Int(unacknowledged))
        }
    }

    func housekeeping() {
        stage.state.update { $0.rounds += 1 }
    }

    private func text(
        _ text: String,
        persistent: Bool,
        _ isHTTP10: Bool,
        into out: inout ResponseHead
    ) -> Body {
        let body = Array(text.utf8)
        write(200, body.count, persistent, isHTTP10, into: &out)
        return .memory(body, body.indices)
    }

    private func write(
        _ status: Int,
        _ length: Int,
        _ persistent: Bool,
        _ isHTTP10: Bool,
        into out: inout ResponseHead
    ) {
        out.begin(status: status)
        out.field("Content-Length", UInt64(length))
        if !persistent { out.field("Connection", "close") } else if isHTTP10 { out.field("Connection", "keep-alive") }
        out.end()
    }

    /// Each answer opens its own, so that a descriptor that is left open can be counted.
    private func openFile(_ path: String) -> SharedFile {
        SharedFile(FileDescriptor(owning: Glibc.open(path, O_RDONLY | O_CLOEXEC)))
    }

    private static func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        var octets: [UInt8] = []
        for index in range { octets.append(bytes[index]) }
        return String(decoding: octets, as: UTF8.self)
    }
}

/// The content, cut as the path says.
struct ScriptedPieces: BodyPieces {
    private var script: [(kind: Character, count: Int)]
    private let content: [UInt8]
    private let file: SharedFile
    private var position = 0

    /// The length that the head promises.
    let promised: Int
    /// Called when the kernel has taken the last of them.
    private let onEnd: @Sendable () -> Void

    init(
        _ script: String,
        of content: [UInt8],
        in file: SharedFile,
        onEnd: @escaping @Sendable () -> Void
    ) {
        self.onEnd = onEnd
        self.script = script.split(separator: ",").map { (kind: $0.first ?? "x", count: Int($0.dropFirst()) ?? 0) }
        self.content = content
        self.file = file
        // One that cannot be made was promised as well.
        promised = self.script.reduce(0) { $0 + ($1.kind == "x" ? 1 : $1.count) }
    }

    mutating func next() -> BodyPiece? {
        guard !script.isEmpty else {
            onEnd()
            return nil
        }
        let (kind, count) = script.removeFirst()
        defer { position += count }
        switch kind {
        case "m": return .memory(Array(content[position..<position + count]))
        case "f": return .file(file, offset: UInt64(position), count: UInt64(count))
        default: return .unavailable
        }
    }
}

import HostSystem
import TestSupport
import Testing

@testable import HostTransport

@Suite("TLS: certificates that cannot be used, and connections that use one", .waits)
struct TLSTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func certificate(
        _ file: String,
        names: [String] = ["localhost"],
        kind: TestCertificate.Kind = .elliptic,
        days: Int = 2
    ) throws -> TLSSettings.KeyPair {
        try TestCertificate(file, in: folder.path, names: names, kind: kind, days: days).pair
    }

    private func write(_ name: String, _ text: String) throws -> String {
        try TemporaryFolder.write(Array(text.utf8), to: "\(folder.path)/\(name)")
        return "\(folder.path)/\(name)"
    }

    private func error(_ pairs: [TLSSettings.KeyPair], authorities: String? = nil) -> TLSError? {
        var settings = TLSSettings(pairs: pairs)
        settings.clientAuthorities = authorities
        do throws(TLSError) {
            _ = try TLSSource(settings)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Files

    @Test("each file that cannot be used is named, with what is wrong with it")
    func refusals() throws {
        let good = try certificate("good")
        let other = try certificate("other")
        let short = try certificate("short", kind: .rsa(bits: 1024))
        let missing = "\(folder.path)/missing.pem"
        let empty = try write("empty.pem", "")
        let begin = "-----BEGIN CERTIFICATE-----\n"
        let damaged = try write("damaged.pem", begin + "AAAA\n-----END CERTIFICATE-----\n")
        let cut = try write("cut.pem", begin + "MIIB")
        let locked = try TestCertificate("locked", in: folder.path, passphrase: "secret").pair.key

        #expect(error([good]) == nil)
        #expect(error([.init(chain: missing, key: good.key)]) == .unreadable(missing, .noEntry))
        #expect(error([.init(chain: good.chain, key: missing)]) == .unreadable(missing, .noEntry))
        #expect(error([good], authorities: missing) == .unreadable(missing, .noEntry))
        #expect(error([.init(chain: empty, key: good.key)]) == .noCertificate(empty))
        #expect(error([.init(chain: good.key, key: good.key)]) == .noCertificate(good.key))
        #expect(error([good], authorities: empty) == .noCertificate(empty))
        #expect(error([.init(chain: damaged, key: good.key)]) == .brokenCertificate(damaged))
        #expect(error([.init(chain: cut, key: good.key)]) == .brokenCertificate(cut))
        #expect(error([.init(chain: good.chain, key: empty)]) == .noKey(empty))
        #expect(error([.init(chain: good.chain, key: good.chain)]) == .noKey(good.chain))
        #expect(error([.init(chain: good.chain, key: locked)]) == .encryptedKey(locked))
        let mismatch = TLSError.mismatch(chain: good.chain, key: other.key)
        #expect(error([good, .init(chain: good.chain, key: other.key)]) == mismatch)
        // Security level 2 asks for RSA keys of 2048 bits.
        #expect(error([short]) == .refused(short.chain, "ee key too small"))
    }

    @Test("a certificate that has expired is served, with a notice")
    func expired() throws {
        let old = try certificate("old", days: -1)
        #expect(try TLSSource(TLSSettings(pairs: [old])).notices == ["the certificate in \(old.chain) has expired"])
    }

    @Test("new files are for new connections, and those that cannot be used change nothing")
    func reload() throws {
        let pair = try certificate("server")
        let source = try TLSSource(TLSSettings(pairs: [pair]))
        let first = source.current()
        _ = try write("server.key", "no key")
        #expect(throws: TLSError.noKey(pair.key)) { try source.reload() }
        #expect(source.current() === first)
        _ = try certificate("server")
        try source.reload()
        #expect(source.current() !== first)
    }

    // MARK: Connections

    private func host(
        _ keys: TicketKeys = TicketKeys(),
        loops: Int = 1,
        configure: (inout TransportLimits) -> Void = { _ in }
    ) throws -> (host: TransportHost, source: TLSSource) {
        let source = try TLSSource(TLSSettings(pairs: [try certificate("server")]), keys: keys)
        let host = try TransportHost(tls: source, loops: loops) {
            // Clients here stay until they are let go.
            $0.lingerTime = 1000
            configure(&$0)
        }
        return (host, source)
    }

    @Test("a client that stands still within its handshake is let go", arguments: ["", "HEA", "\u{16}\u{3}\u{1}\u{2}"])
    func patience(begin: String) throws {
        let (host, _) = try host { $0.handshakeTime = 1000 }
        let client = try host.connect()
        if !begin.isEmpty { try client.send(begin) }
        // What it has sent may be unread, and then the end is a reset.
        _ = try? client.endsInOrder()
        #expect(host.leavesNothing())
        #expect(host.stage.now.rejections == [])
    }

    @Test("plain HTTP is answered plainly; the answer to HEAD has no body")
    func plainHTTP() throws {
        let (host, _) = try host()
        let client = try host.connect()
        let response = try client.get("/")
        #expect(response.status == 400)
        #expect(response.text == "notSecure")
        #expect(try client.endsInOrder())
        #expect(host.stage.now.rejections == [.notSecure])
    }

    @Test("a session is resumed on every loop, for a day after its key has been replaced, and over a reload")
    func resumption() throws {
        let time = Monitor<Int64>(1000)
        let (host, source) = try host(TicketKeys(now: { time.update { $0 } }), loops: 2)
        let address = host.server.addresses[0]
        let first = try TLSClient(to: address)
        #expect(!first.isResumed)
        #expect(try first.getLast("/a").hasSuffix("first GET /a"))
        let session = try #require(first.session)
        for hours in [0, 0, 0, 0, 1, 23, 24] as [Int64] {
            time.update { $0 = 1000 + hours * 3_600_000 }
            let next = try TLSClient(to: address, resuming: session)
            #expect(next.isResumed, "after \(hours) hours")
            #expect(try next.getLast("/b").hasSuffix("first GET /b"))
            try source.reload()
        }
        time.update { $0 = 1000 + 25 * 3_600_000 }
        #expect(try !TLSClient(to: address, resuming: session).isResumed)
        #expect(host.leavesNothing())
    }

    @Test("a session is resumed only where the same is asked of clients' certificates")
    func rules() throws {
        let keys = TicketKeys()
        var settings = TLSSettings(pairs: [try certificate("server")])
        let open = try TransportHost(tls: TLSSource(settings, keys: keys)) { $0.lingerTime = 1000 }
        settings.clientAuthorities = settings.pairs[0].chain
        settings.clientVerification = .optional
        let asking = try TransportHost(tls: TLSSource(settings, keys: keys)) { $0.lingerTime = 1000 }
        let first = try TLSClient(to: open.server.addresses[0])
        _ = try first.getLast("/a")
        let session = try #require(first.session)
        #expect(try TLSClient(to: open.server.addresses[0], resuming: session).isResumed)
        #expect(try !TLSClient(to: asking.server.addresses[0], resuming: session).isResumed)
    }

    @Test("close_notify ends a connection that was idle for too long, and one whose head does not come to its end")
    func idle() throws {
        let (host, _) = try host {
            $0.idleTime = 1000
            $0.headTime = 1000
        }
        let client = try TLSClient(to: host.server.addresses[0])
        try client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readToEnd().hasSuffix("first GET /a"))
        let slow = try TLSClient(to: host.server.addresses[0])
        try slow.send("GET /a HTTP/1.1\r\n")
        #expect(try slow.readToEnd().hasSuffix("timedOut"))
        #expect(try TLSClient(to: host.server.addresses[0]).readToEnd() == "")
        #expect(host.leavesNothing())
    }

    @Test("RFC 9110 10.1.1: the interim answer goes out before the final one")
    func interim() throws {
        let (host, _) = try host()
        let client = try TLSClient(to: host.server.addresses[0])
        let fields = "Host: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"
        try client.send("POST /content HTTP/1.1\r\n" + fields)
        #expect(try client.read(atMost: 100) == "HTTP/1.1 100 Continue\r\n\r\n")
        try client.send("12345")
        #expect(try client.readToEnd().hasSuffix("5: 12345"))
    }

    @Test("an answer of pieces arrives whole, and one whose piece cannot be made is cut without close_notify")
    func pieces() throws {
        let (host, _) = try host()
        let address = host.server.addresses[0]
        let answer = try TLSClient(to: address).getLast("/pieces/m100,f50000,m0,m20000,f1")
        let content = String(decoding: host.stage.content[..<70101], as: UTF8.self)
        #expect(answer.hasSuffix(content))
        #expect(throws: TLSClient.Failure.self) { try TLSClient(to: address).getLast("/pieces/m100,x") }
        #expect(host.leavesNothing())
    }
}

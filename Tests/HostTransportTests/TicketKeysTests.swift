import CHostOpenSSL
import HostSystem
import Testing

@testable import HostTransport

@Suite("TicketKeys: what a session ticket is sealed with, and for how long it opens")
struct TicketKeysTests {
    /// A clock that a test sets.
    private static func keys(_ time: Monitor<Int64>) -> TicketKeys { TicketKeys(now: { time.update { $0 } }) }

    /// A ticket of one block: its key's name, its initialization vector, and the block with its code behind it.
    private struct Ticket {
        var name = [UInt8](repeating: 0, count: 16)
        var vector = [UInt8](repeating: 0, count: 16)
        var block: [UInt8] = []
        var code: [UInt8] = []
    }

    private static let content = Array("sixteen octets..".utf8)

    private static func withContexts(_ body: (OpaquePointer, OpaquePointer) -> Void) throws {
        let cipher = try #require(EVP_CIPHER_CTX_new())
        let algorithm = try #require(EVP_MAC_fetch(nil, "HMAC", nil))
        let authentication = try #require(EVP_MAC_CTX_new(algorithm))
        defer {
            EVP_CIPHER_CTX_free(cipher)
            EVP_MAC_CTX_free(authentication)
            EVP_MAC_free(algorithm)
        }
        body(cipher, authentication)
    }

    private static func crypt(_ cipher: OpaquePointer, _ octets: [UInt8]) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: octets.count + 32)
        var count: CInt = 0
        EVP_CIPHER_CTX_set_padding(cipher, 0)
        EVP_CipherUpdate(cipher, &out, &count, octets, CInt(octets.count))
        return Array(out[..<Int(count)])
    }

    private static func code(_ authentication: OpaquePointer, _ octets: [UInt8]) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: 64)
        var count = 0
        EVP_MAC_update(authentication, octets, octets.count)
        EVP_MAC_final(authentication, &out, &count, out.count)
        return Array(out[..<count])
    }

    private static func seal(_ keys: TicketKeys) throws -> Ticket {
        var ticket = Ticket()
        try withContexts { cipher, authentication in
            #expect(keys.prepareSealing(name: &ticket.name, vector: &ticket.vector, cipher, authentication) == 1)
            ticket.block = crypt(cipher, content)
            ticket.code = code(authentication, ticket.block)
        }
        return ticket
    }

    /// What opening comes to, once what is inside was found to be right.
    private static func open(_ ticket: Ticket, _ keys: TicketKeys) throws -> CInt {
        var ticket = ticket
        var answer: CInt = -1
        try withContexts { cipher, authentication in
            answer = keys.prepareOpening(name: &ticket.name, vector: &ticket.vector, cipher, authentication)
            guard answer > 0 else { return }
            #expect(crypt(cipher, ticket.block) == content)
            #expect(code(authentication, ticket.block) == ticket.code)
        }
        return answer
    }

    @Test(
        "a key seals for an hour, opens for a day after it, and then is gone",
        arguments: [
            (0, 1), (3_599_999, 1), (3_600_000, 2), (86_400_000, 2), (89_999_999, 2), (90_000_000, 0),
        ] as [(Int64, CInt)]
    )
    func lifetime(later: Int64, expected: CInt) throws {
        let time = Monitor<Int64>(1000)
        let keys = Self.keys(time)
        let ticket = try Self.seal(keys)
        #expect(ticket.code.count == 32, "HMAC-SHA-256")
        time.update { $0 += later }
        #expect(try Self.open(ticket, keys) == expected)
    }

    @Test("each hour has a key of its own, and each ticket a vector of its own")
    func rotation() throws {
        let time = Monitor<Int64>(0)
        let keys = Self.keys(time)
        var names: Set<[UInt8]> = []
        var vectors: Set<[UInt8]> = []
        for _ in 0..<30 {
            let ticket = try Self.seal(keys)
            let other = try Self.seal(keys)
            #expect(ticket.name == other.name)
            names.insert(ticket.name)
            vectors.formUnion([ticket.vector, other.vector])
            time.update { $0 += TicketKeys.sealingTime }
        }
        #expect(names.count == 30)
        #expect(vectors.count == 60)
    }

    @Test("keys of another server open nothing")
    func strangers() throws {
        let time = Monitor<Int64>(0)
        #expect(try Self.open(Self.seal(Self.keys(time)), Self.keys(time)) == 0)
    }
}

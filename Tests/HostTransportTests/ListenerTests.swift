import Glibc
import HostSystem
import HostTransport
import TestSupport
import Testing

@Suite("Listeners: ports, addresses and unix sockets", .waits)
struct ListenerTests {
    private static let loopback = ListenAddress.internet(host: "127.0.0.1", port: 0)
    private static let loopback6 = ListenAddress.internet(host: "::1", port: 0)

    private static var hasIPv6: Bool {
        guard let address = SocketAddress(numericHost: "::1", port: 0) else { return false }
        do {
            _ = try FileDescriptor.listening(at: address, sharesPort: false)
            return true
        } catch {
            return false
        }
    }

    /// What the server says that cannot listen there.
    private func refusal(_ listeners: ListenAddress..., stage: Stage) -> String? {
        do {
            _ = try TransportHost(stage, listeners: listeners)
            return nil
        } catch let error as ServerError {
            return error.description
        } catch {
            return "\(error)"
        }
    }

    /// A server at an address that has just become free. "Just" may be a moment ago: a process that another test starts
    /// has a copy of each descriptor until its program begins. Far less than TIME-WAIT, which is a minute.
    private func server(_ stage: Stage, atFreed address: ListenAddress) throws -> TransportHost {
        var server: TransportHost?
        _ = eventually(within: 10) {
            server = try? TransportHost(stage, listeners: [address])
            return server != nil
        }
        return try server ?? TransportHost(stage, listeners: [address])
    }

    private func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    @Test("port 0 is replaced by the port that the kernel chose, which all loops share")
    func portZero() throws {
        let host = try TransportHost(loops: 3)
        #expect(host.server.addresses.count == 1)
        #expect(try #require(host.server.addresses[0].port) != 0)
        // The kernel spreads them over the loops' sockets; each of them serves.
        let connections = try (0..<30).map { _ in try host.connect() }
        for connection in connections { #expect(try connection.get("/").text == "first GET /") }
    }

    @Test("two listeners with a handler each")
    func twoListeners() throws {
        let stage = try Stage()
        let host = try TransportHost(
            stage,
            listeners: [Self.loopback, Self.loopback, .unix(stage.path("socket"))],
            loops: 2
        )
        #expect(Set(host.server.addresses).count == 3)
        for (listener, name) in ["first", "second", "third"].enumerated() {
            for _ in 0..<5 { #expect(try host.connect(to: listener).get("/x").text == "\(name) GET /x") }
        }
    }

    @Test("IPv6", .enabled(if: hasIPv6))
    func internetProtocolVersion6() throws {
        let host = try TransportHost(listeners: [Self.loopback6, Self.loopback])
        #expect(host.server.addresses[0].description.hasPrefix("[::1]:"))
        #expect(try host.connect(to: 0).get("/six").text == "first GET /six")
        #expect(try host.connect(to: 1).get("/four").text == "second GET /four")
    }

    @Test("IPv6 and IPv4 may have one port, each with a listener of its own", .enabled(if: hasIPv6))
    func onePortTwice() throws {
        // The other one's port may be in use by somebody else: then with another port.
        var pair: (four: TransportHost, six: TransportHost)?
        _ = try eventually(within: 10) {
            let four = try TransportHost()
            let port = four.server.addresses[0].port ?? 0
            pair = (try? TransportHost(listeners: [.internet(host: "::", port: port)])).map { (four, $0) }
            return pair != nil
        }
        let (four, six) = try #require(pair)
        let port = try #require(four.server.addresses[0].port)
        #expect(six.server.addresses[0].port == port)
        #expect(try RawConnection(to: .internet(host: "::1", port: port)).get("/").status == 200)
    }

    @Test("a port that is in use is refused, although its sockets share it", arguments: [1, 2])
    func portInUse(loops: Int) throws {
        let host = try TransportHost(loops: loops)
        let address = host.server.addresses[0]
        let message = refusal(address, stage: host.stage)
        #expect(
            message == "cannot listen on \(address): the address is in use; stop what listens there or name another one"
        )
        for _ in 0..<10 { #expect(try host.connect().get("/").status == 200) }
    }

    @Test("one port twice in one server is refused, and what it had bound is free again")
    func samePortTwice() throws {
        let stage = try Stage()
        // An address that no other test uses, so that none is given this port meanwhile.
        let first = try TransportHost(stage, listeners: [.internet(host: "127.0.0.2", port: 0)])
        let address = first.server.addresses[0]
        first.server.stop()
        let path = stage.path("socket")
        #expect(refusal(.unix(path), address, address, stage: stage)?.contains("the address is in use") == true)
        #expect(!exists(path))
        let second = try server(stage, atFreed: address)
        #expect(try second.connect().get("/").status == 200)
    }

    @Test("a port whose connections are in TIME-WAIT can be bound again at once")
    func timeWait() throws {
        let stage = try Stage()
        let first = try TransportHost(stage, listeners: [.internet(host: "127.0.0.3", port: 0)])
        let address = first.server.addresses[0]
        let connection = try first.connect()
        // The server closes first, so TIME-WAIT is on its side.
        try connection.get("/last")
        #expect(connection.isClosedByPeer())
        connection.close()
        first.server.stop()
        let second = try server(stage, atFreed: address)
        #expect(try second.connect().get("/").status == 200)
    }

    @Test("an address that this machine has not is named in the error")
    func foreignAddress() throws {
        let message = try refusal(.internet(host: "192.0.2.1", port: 0), stage: Stage())
        #expect(message?.hasPrefix("cannot listen on 192.0.2.1:0: ") == true)
    }

    // MARK: Unix sockets

    @Test(
        "a unix socket is served, its file is there as long as the server is, and it may be made again",
        arguments: [1, 2]
    )
    func unixSocket(loops: Int) throws {
        let stage = try Stage(contentSize: 5_000_000)
        let path = stage.path("socket")
        for _ in 0..<2 {
            let host = try TransportHost(stage, listeners: [.unix(path)], loops: loops)
            #expect(host.server.addresses == [.unix(path)])
            let connection = try host.connect()
            #expect(try connection.get("/x").text == "first GET /x")
            #expect(try connection.get("/file").body == stage.content)
            #expect(try connection.get("/pieces/m50,f4000000,m5").body.count == 4_000_055)
            #expect(try host.connect().get("/last").text == "last")
            host.server.stop()
            #expect(!exists(path))
        }
    }

    @Test("a unix socket file that a killed server left is replaced")
    func abandoned() throws {
        let stage = try Stage()
        let path = stage.path("socket")
        // Closing a listener leaves its file: just what a server that is killed leaves.
        _ = try FileDescriptor.listening(at: .unix(path), sharesPort: false)
        #expect(exists(path))
        let host = try server(stage, atFreed: .unix(path))
        #expect(try host.connect().get("/").status == 200)
    }

    @Test("a unix socket that is served is refused, and goes on being served")
    func live() throws {
        let stage = try Stage()
        let path = stage.path("socket")
        let first = try TransportHost(stage, listeners: [.unix(path)])
        #expect(refusal(.unix(path), stage: stage)?.contains("the address is in use") == true)
        #expect(try first.connect().get("/").status == 200)
    }

    @Test("a file that is no socket is never removed")
    func ordinaryFile() throws {
        let stage = try Stage()
        let path = stage.path("file")
        try TemporaryFolder.write([1], to: path)
        #expect(refusal(.unix(path), stage: stage)?.contains("no socket") == true)
        #expect(exists(path))
    }

    @Test("every local user may connect to a unix socket, whatever the umask: a proxy in front has a user of its own")
    func permissions() async {
        // In a process of its own: the umask would be that of all tests.
        await #expect(processExitsWith: .success) {
            umask(0o077)
            let stage = try Stage()
            let path = stage.path("socket")
            let host = try TransportHost(stage, listeners: [.unix(path)])
            var status = stat()
            try #require(stat(path, &status) == 0)
            #expect(status.st_mode & 0o7777 == 0o666)
            #expect(try host.connect().get("/").status == 200)
        }
    }

    @Test(
        "a path that is too long for a unix socket, or has no folder, is named in the error",
        arguments: [
            "/tmp/" + String(repeating: "x", count: 110), "/tmp/there/is/no/such/folder/socket",
        ]
    )
    func badPath(path: String) throws {
        let message = try refusal(.unix(path), stage: Stage())
        #expect(message?.hasPrefix("cannot listen on unix:\(path): ") == true)
    }

    @Test("a server that takes a unix socket's place while another still drains keeps its file")
    func handOver() throws {
        let stage = try Stage(contentSize: 20_000_000)
        let path = stage.path("socket")
        let old = try TransportHost(stage, listeners: [.unix(path)])
        let download = try old.connect()
        try download.send("GET /file HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try download.read(atLeast: 1)
        let stopping = try old.stopInBackground()
        #expect(eventually { (try? old.connect()) == nil })

        let new = try TransportHost(stage, listeners: [.unix(path)])
        #expect(!stopping.hasEnded)
        _ = try download.readToEnd()
        download.close()
        #expect(stopping.endsEventually)
        #expect(exists(path))
        #expect(try new.connect().get("/").status == 200)
    }
}

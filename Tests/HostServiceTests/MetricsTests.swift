import HTTPWire
import HostTelemetry
import TestSupport
import Testing

@testable import HostService

@Suite("/metrics: what was counted, to the last one")
struct MetricsTests {
    private static let path = "/models/Sam3/1.4.0/Sam3.aimodel/main.mlirb"

    @Test("its fields; HEAD; other methods; the public listener does not have it")
    func fields() throws {
        let host = try RunningHost()
        let answer = try host.connectToAdmin().request("GET", "/metrics")
        #expect(answer.status == 200)
        #expect(answer["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
        #expect(answer["Cache-Control"] == "no-store")
        #expect(answer["X-Content-Type-Options"] == "nosniff")
        let head = try host.connectToAdmin().request("HEAD", "/metrics")
        #expect(head.names == answer.names && head.status == 200 && head.body.isEmpty)
        let post = try host.connectToAdmin().request("POST", "/metrics")
        try expectProblem("method-not-allowed", post, at: "/metrics", isPublic: false)
        let foreign = try host.connectToAdmin().request("GET", "/metrics", host: "evil.example")
        try expectProblem("misdirected-request", foreign, at: "/metrics", isPublic: false)
        #expect(try host.request("GET", "/metrics").status == 404)
    }

    @Test("every metric has its type, and its series are there from the start")
    func shape() throws {
        let scrape = try Scrape(RunningHost { $0.version = "1.2.3-\"x\"" })
        #expect(scrape.faults.isEmpty, "\(scrape.faults)")
        // The names are a contract with dashboards and alert rules.
        let counters = [
            "requests_total": 10, "sent_bytes_total": 2, "connections_accepted_total": 1,
            "problems_total": ProblemCode.allCases.count, "reports_total": 3, "variant_misses_total": 0,
        ]
        let gauges = [
            "build_info": 1, "connections": 2, "downloads_active": 1, "catalog_generation": 1, "catalog_models": 1,
            "catalog_versions": 1, "catalog_findings": 1,
        ]
        for (kind, metrics) in [("counter", counters), ("gauge", gauges)] {
            for (name, count) in metrics {
                #expect(scrape.types["aimodel_host_" + name] == kind, "\(name)")
                #expect(scrape.names.count { $0 == "aimodel_host_" + name } == count, "\(name)")
            }
        }
        let process = [
            "process_cpu_seconds_total": "counter", "process_resident_memory_bytes": "gauge",
            "process_open_fds": "gauge", "process_max_fds": "gauge", "process_start_time_seconds": "gauge",
        ]
        for (name, kind) in process {
            #expect(scrape.types[name] == kind)
            #expect(scrape.values[name] ?? 0 > 0, "\(name)")
        }
        #expect(scrape["build_info{version=\"1.2.3-\\\"x\\\"\"}"] == 1)
        for code in ProblemCode.allCases { #expect(scrape["problems_total{code=\"\(code.rawValue)\"}"] == 0) }
    }

    @Test("answers by class, problems by code, octets, connections: exactly what was asked for", arguments: [1, 3])
    func traffic(_ loops: Int) throws {
        let store = try ReleaseStore()
        try CatalogFixture.publish(store)
        let host = try RunningHost(store, loops: loops)
        let before = try Scrape(host)
        var octets = 0
        var made: Double = 0
        // Everything that the server sends on a connection that ends, heads included.
        func exchange(_ text: String) throws {
            let connection = try host.connect()
            try connection.send(text)
            octets += try connection.readToEnd().count
            made += 1
        }
        func request(_ method: String, _ target: String, _ fields: String = "") -> String {
            "\(method) \(target) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
        }
        let last = request("GET", "/healthz", "Connection: close\r\n")
        // On one connection, one behind the other.
        try exchange(String(repeating: request("GET", Self.path), count: 50) + last)
        for _ in 0..<10 {
            try exchange(request("HEAD", Self.path) + request("GET", Self.path, "Range: bytes=0-9\r\n") + last)
        }
        try exchange(request("GET", Self.path, "Range: bytes=0-1,5-6\r\n") + last)
        try exchange(request("GET", Self.path, "If-None-Match: *\r\n") + last)
        try exchange(request("GET", Self.path, "If-Match: \"x\"\r\n") + last)
        try exchange(request("GET", Self.path, "Range: bytes=999999-\r\n") + last)
        try exchange(request("GET", "/models/Sam3/stable/manifest.json") + last)
        try exchange(request("OPTIONS", "/") + request("PUT", "/") + request("BREW", "/") + last)
        try exchange(request("HEAD", "/models/nothing") + request("GET", "/models/nothing") + last)
        try exchange(request("GET", "/models/Sam3/1.2.0/manifest.json") + last)
        try exchange("hello\r\n\r\n")
        try exchange("GET / HTTP/2.0\r\n\r\n")
        let ends = made - 2

        // The octets are counted by the loop, which may be a moment behind the peer.
        #expect(
            try eventually { try Scrape(host)["sent_bytes_total{listener=\"public\"}"] == Double(octets) }
        )
        var changes = try Scrape(host).changes(since: before)
        // The scrapes themselves.
        for name in ["requests_total{listener=\"admin\",code=\"2xx\"}", "sent_bytes_total{listener=\"admin\"}"] {
            #expect(changes.removeValue(forKey: name) ?? 0 > 0)
        }
        let accepted = changes.removeValue(forKey: "connections_accepted_total") ?? 0
        #expect(accepted >= made + 2)
        #expect(
            changes == [
                "requests_total{listener=\"public\",code=\"2xx\"}": 50 + 10 * 2 + 1 + 1 + ends,
                "requests_total{listener=\"public\",code=\"3xx\"}": 2,
                "requests_total{listener=\"public\",code=\"4xx\"}": 2 + 1 + 2 + 1 + 1,
                "requests_total{listener=\"public\",code=\"5xx\"}": 1 + 1,
                "sent_bytes_total{listener=\"public\"}": Double(octets),
                "problems_total{code=\"precondition-failed\"}": 1,
                "problems_total{code=\"range-not-satisfiable\"}": 1,
                "problems_total{code=\"method-not-allowed\"}": 1,
                "problems_total{code=\"not-implemented\"}": 1,
                "problems_total{code=\"unknown-model\"}": 2,
                "problems_total{code=\"version-withdrawn\"}": 1,
                "problems_total{code=\"bad-request\"}": 1,
                "problems_total{code=\"version-not-supported\"}": 1,
            ]
        )
    }

    @Test("the admin listener's own answers; who scrapes is active")
    func admin() throws {
        let host = try RunningHost()
        let before = try Scrape(host)
        #expect(before["connections{state=\"active\"}"] == 1)
        #expect(before["requests_total{listener=\"admin\",code=\"2xx\"}"] == 0)
        let connection = try host.connectToAdmin()
        for target in ["/healthz", "/nothing", "/readyz"] { _ = try connection.request("GET", target) }
        _ = try host.connectToAdmin().request("GET", "/healthz", host: "evil.example")
        let after = try Scrape(host)
        var changes = after.changes(since: before)
        #expect(changes.removeValue(forKey: "sent_bytes_total{listener=\"admin\"}") ?? 0 > 0)
        #expect(
            changes == [
                "connections_accepted_total": 3,
                "requests_total{listener=\"admin\",code=\"2xx\"}": 3,
                "requests_total{listener=\"admin\",code=\"4xx\"}": 2,
                "problems_total{code=\"unknown-resource\"}": 1,
                "problems_total{code=\"misdirected-request\"}": 1,
            ]
        )
        #expect(after["connections{state=\"idle\"}"] == 1)
    }

    @Test("open connections, idle and active, return to those of who asks")
    func connections() throws {
        let host = try RunningHost()
        func states() throws -> [Double?] {
            let scrape = try Scrape(host)
            return ["active", "idle"].map { scrape["connections{state=\"\($0)\"}"] }
        }
        var idle = try (0..<5).map { _ in try host.connect() }
        let begun = try host.connect()
        for connection in idle { _ = try connection.request("GET", "/healthz") }
        try begun.send("GET / HT")
        #expect(try eventually { try states() == [2, 5] })
        idle.removeLast().reset()
        idle.removeLast().close()
        begun.reset()
        #expect(try eventually { try states() == [1, 3] })
    }

    @Test("downloads under way: from the octet that has to wait to the last one, or the end of the connection")
    func downloads() throws {
        let store = try ReleaseStore()
        // More than the buffers of both sockets take.
        let content = ReleaseContent.pattern(24 << 20, seed: 1)
        try store.publish(ReleaseFixture(assets: ["Sam3.aimodel": ["main.mlirb": content]]))
        let host = try RunningHost(store)
        func active() throws -> Double? { try Scrape(host)["downloads_active"] }
        #expect(try active() == 0)
        let clients = try (0..<3).map { _ in
            let client = try host.connect(receiveBuffer: 4096)
            try client.send("GET \(Self.path) HTTP/1.1\r\nHost: a\r\n\r\n")
            return client
        }
        #expect(try eventually { try active() == 3 })
        #expect(try clients[0].response().body.count == 24 << 20)
        #expect(try eventually { try active() == 2 })
        clients[1].reset()
        #expect(try eventually { try active() == 1 })
        clients[2].close()
        #expect(try eventually { try active() == 0 })
    }

    @Test("questions for variants that are not there, with a ledger and without", arguments: [true, false])
    func misses(_ hasLedger: Bool) throws {
        let store = try ReleaseStore()
        try CatalogFixture.publish(store)
        let host = try RunningHost(store) {
            if hasLedger { $0.ledger = LedgerSettings(path: store.path("var/telemetry.sqlite")) }
        }
        for (target, status) in [
            // Refused: by the question, and by the name.
            ("/models/Only/1.0.0/resolve?arch=h17p", 404), ("/models/Only/1.0.0/Only.h17p.aimodelc/main.mlirb", 404),
            // Answered with the portable form: of both bases, of one.
            ("/models/Pair/1.0.0/resolve?arch=h17p", 200), ("/models/Pair/1.0.0/resolve?arch=h18p", 200),
            // No such model, a variant that is there, a name that is none: no miss.
            ("/models/Nothing/1.0.0/resolve?arch=h17p", 404), ("/models/Only/1.0.0/resolve?arch=h18p", 200),
            ("/models/Only/1.0.0/resolve?arch=17", 400),
        ] {
            #expect(try host.request("GET", target).status == status, "\(target)")
        }
        let values = try Scrape(host).values.filter { $0.key.hasPrefix("aimodel_host_variant_misses_total") }
        #expect(
            values == [
                "aimodel_host_variant_misses_total{model=\"Only\",architecture=\"h17p\"}": 2,
                "aimodel_host_variant_misses_total{model=\"Pair\",architecture=\"h17p\"}": 2,
                "aimodel_host_variant_misses_total{model=\"Pair\",architecture=\"h18p\"}": 1,
            ]
        )
    }

    @Test("the ledger: what it wrote, what became of transfers, and nothing of it where none is kept")
    func ledger() throws {
        let store = try ReleaseStore()
        try store.publish(ReleaseFixture(assets: ["Sam3.aimodel": ["main.mlirb": .pattern(40_000, seed: 1)]]))
        let path = store.path("var/telemetry.sqlite")
        let host = try RunningHost(store) { $0.ledger = LedgerSettings(path: path) }
        let before = try Scrape(host)
        #expect(before.faults.isEmpty, "\(before.faults)")
        let counters = [
            "ledger_written_rows_total": 1, "ledger_begun_anew_total": 1, "transfers_begun_total": 1,
            "transfers_completed_total": 1,
            "ledger_dropped_total": RecordKind.allCases.count * DropReason.allCases.count,
        ]
        let gauges = [
            "ledger_up", "ledger_queue_rows", "ledger_queue_capacity", "ledger_size_bytes", "ledger_wal_size_bytes",
            "transfers_in_memory",
        ]
        for (name, count) in counters {
            #expect(before.types["aimodel_host_" + name] == "counter", "\(name)")
            #expect(before.names.count { $0 == "aimodel_host_" + name } == count, "\(name)")
        }
        for name in gauges { #expect(before.types["aimodel_host_" + name] == "gauge", "\(name)") }
        #expect(before["ledger_up"] == 1)
        #expect(before["ledger_queue_capacity"] ?? 0 > 0)

        // Two devices; one gets all of it, in two pieces.
        for (device, range) in [("one", "bytes=0-19999"), ("two", "bytes=0-9"), ("one", "bytes=20000-")] {
            #expect(try host.request("GET", Self.path, [("AIModel-Device", device), ("Range", range)]).status == 206)
        }
        #expect(
            try eventually {
                let scrape = try Scrape(host)
                return scrape["ledger_written_rows_total"] == 3 && scrape["ledger_queue_rows"] == 0
                    && scrape["transfers_begun_total"] == 2 && scrape["transfers_completed_total"] == 1
                    && scrape["transfers_in_memory"] == 2 && scrape["ledger_size_bytes"] ?? 0 > 0
            }
        )

        let plain = try Scrape(RunningHost(store))
        #expect(plain.names.allSatisfy { !$0.contains("ledger") && !$0.contains("transfers") })
    }

    @Test("a ledger that cannot be written is told, and so is what it lost")
    func brokenLedger() throws {
        let store = try ReleaseStore()
        try store.publish(.standard())
        try TemporaryFolder.write([1], to: store.path("var"))
        // A file where the folder should be; one row may wait.
        let host = try RunningHost(store) {
            $0.ledger = LedgerSettings(path: store.path("var/telemetry.sqlite"))
            $0.ledger?.queueCapacity = 1
        }
        #expect(try eventually { try Scrape(host)["ledger_up"] == 0 })
        for range in ["bytes=0-1", "bytes=2-3", "bytes=4-5"] {
            #expect(try host.request("GET", Self.path, [("Range", range)]).status == 206)
        }
        #expect(
            try eventually {
                let scrape = try Scrape(host)
                let lost = scrape.values.filter {
                    $0.key.hasPrefix("aimodel_host_ledger_dropped_total") && $0.value > 0
                }
                return lost.values.reduce(0, +) == 2 && lost.keys.allSatisfy { $0.contains("kind=\"download\"") }
                    && scrape["ledger_queue_rows"] == 1
            }
        )
    }

    @Test("the catalog, as /readyz tells it")
    func catalog() throws {
        let store = try ReleaseStore()
        try CatalogFixture.publish(store)
        let host = try RunningHost(store)
        func expectSame(models: Double, versions: Double, findings: Double) throws {
            let scrape = try Scrape(host)
            let ready = try host.connectToAdmin().request("GET", "/readyz").json()
            #expect(scrape["catalog_models"] == models)
            #expect(scrape["catalog_versions"] == versions)
            #expect(scrape["catalog_findings"] == findings)
            #expect(ready["findings"]?.elements.count == Int(findings))
            #expect(ready["generation"] == .int(Int64(scrape["catalog_generation"] ?? -1)))
        }
        try expectSame(models: 5, versions: 9, findings: 1)
        try TemporaryFolder.write(Array("x".utf8), to: store.manifestPath("Edge", "not a version"))
        try store.publish(CatalogFixture.release("New", "1.0.0", ["New.aimodel"]))
        #expect(
            try eventually { try Scrape(host)["catalog_models"] == 6 && Scrape(host)["catalog_findings"] == 2 }
        )
        try expectSame(models: 6, versions: 10, findings: 2)
    }
}

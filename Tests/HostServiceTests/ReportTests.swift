import HostTelemetry
import TestSupport
import Testing

@Suite("POST /reports: what is accepted is in the ledger, what is refused is named")
struct ReportTests {
    @Test("A report with all that it can say; then 202, and a row")
    func whole() throws {
        let test = try ReportHost()
        let text = report([
            "outcome": "\"load-failed\"", "errorDomain": "\"CoreAI\"", "errorCode": "-7", "osBuild": "\"24A335\"",
            "coldLoadMilliseconds": "1200", "device": "\"device-1\"",
        ])
        let answer = try test.post(text, [("AIModel-Device", "device-2")])
        #expect(answer.status == 202)
        #expect(try answer.json() == ["accepted": 1, "refused": []])
        #expect(answer["Content-Type"] == "application/json")
        #expect(answer["Cache-Control"] == "no-store")
        #expect(answer["X-Content-Type-Options"] == "nosniff")
        #expect(answer["Access-Control-Allow-Origin"] == "*")
        #expect(
            try test.rows(awaiting: 1)
                == ["Sam3|1.4.0|Sam3.h18p.aimodelc|h18p|load-failed|CoreAI|-7|24A335|1200|device-1"]
        )
        let health = try LedgerReader(path: test.host.store.path("ledger.sqlite")).variantHealth(LedgerScope())
        #expect(health.map(\.loadFailed) == [1] && health.first?.asset == "Sam3.h18p.aimodelc")
    }

    @Test("The device is the request's where the report names none")
    func device() throws {
        let test = try ReportHost()
        let body = array([report(), report(["device": "\"b\""]), report(["device": "null"])])
        #expect(try test.post(body, [("AIModel-Device", "a")]).status == 202)
        #expect(try test.rows(awaiting: 3).map { $0.split(separator: "|").last } == ["a", "b", "a"])
    }

    struct Published: Sendable, CustomTestStringConvertible {
        let says: String
        let members: [String: String?]
        /// nil: accepted.
        let reason: String?
        let member: String?
        var testDescription: String { says }

        init(_ says: String, _ members: [String: String?], _ reason: String? = nil, _ member: String? = nil) {
            self.says = says
            self.members = members
            self.reason = reason
            self.member = member
        }

        static let all = [
            Published("as published", [:]),
            Published("no such model", ["model": "\"Sam4\""], "unknown-model", "model"),
            Published("the case counts", ["model": "\"SAM3\""], "unknown-model", "model"),
            Published("no text at all", ["model": "\"\""], "unknown-model", "model"),
            Published("no such version", ["version": "\"1.4.1\""], "unknown-version", "version"),
            Published("a channel is none", ["version": "\"stable\""], "unknown-version", "version"),
            Published("a path is none", ["version": "\"../1.4.0\""], "unknown-version", "version"),
            Published("no such asset", ["asset": "\"Sam3.h17p.aimodelc\""], "unknown-asset", "asset"),
            Published("an archive is none", ["asset": "\"Sam3.h18p.aimodelc.tar\""], "unknown-asset", "asset"),
            Published("another architecture", ["architecture": "\"h16p\""], "other-architecture", "architecture"),
            Published("compiled, and does not say for what", ["architecture": nil], "missing", "architecture"),
            Published("portable, on any device", ["asset": "\"Sam3.aimodel\"", "architecture": "\"h99x\""]),
            Published("portable, and does not say on what", ["asset": "\"Sam3.aimodel\"", "architecture": nil]),
            Published(
                "a version that was withdrawn",
                ["version": "\"1.2.0\"", "asset": "\"Sam3.aimodel\"", "outcome": "\"removed\""]
            ),
            Published(
                "an architecture that was withdrawn",
                [
                    "model": "\"Edge\"", "version": "\"1.0.0\"", "asset": "\"Edge.h16p.aimodelc\"",
                    "architecture": "\"h16p\"", "outcome": "\"corrupt\"",
                ]
            ),
            Published("a number", ["errorCode": "\"7\""], "wrong-type", "errorCode"),
        ]
    }

    @Test("Only what is published is reported on", arguments: [true, false])
    func published(together: Bool) throws {
        let test = try ReportHost()
        var refused: [JSON] = []
        let texts = Published.all.map { report($0.members) }
        if together {
            let document = try test.post(array(texts)).json()
            #expect(document["accepted"] == .int(Int64(Published.all.count { $0.reason == nil })))
            refused = document["refused"]?.elements ?? []
        } else {
            for (index, text) in texts.enumerated() {
                let document = try test.post(text).json()
                #expect(document["accepted"] == (Published.all[index].reason == nil ? 1 : 0))
                guard case .object(var refusal)? = document["refused"]?[0] else { continue }
                #expect(refusal["index"] == 0)
                refusal["index"] = .int(Int64(index))
                refused.append(.object(refusal))
            }
        }
        let expected = Published.all.enumerated().filter { $0.element.reason != nil }
        #expect(refused.count == expected.count)
        for (refusal, (index, row)) in zip(refused, expected) {
            #expect(refusal["index"] == .int(Int64(index)), "\(row.says)")
            #expect(refusal["reason"]?.text == row.reason, "\(row.says)")
            #expect(refusal["member"]?.text == row.member, "\(row.says)")
            #expect(refusal["detail"]?.text?.isEmpty == false)
        }
        let accepted = Published.all.count - expected.count
        #expect(try test.rows(awaiting: accepted).count == accepted)
    }

    @Test("A version whose manifest cannot be read keeps nothing else back")
    func damaged() throws {
        let test = try ReportHost()
        let store = test.host.store
        try TemporaryFolder.write(Array("{".utf8), to: store.manifestPath("Only", "1.0.0"))
        let only = ["model": "\"Only\"", "version": "\"1.0.0\"", "asset": "\"Only.h18p.aimodelc\""]
        let isDamaged = try eventually {
            try test.post(report(only)).json()["refused"]?[0]?["reason"] == "asset-damaged"
        }
        #expect(isDamaged)
        let before = try test.rows().count
        let document = try test.post(array([report(only), report()])).json()
        #expect(document["accepted"] == 1 && document["refused"]?[0]?["index"] == 0)
        #expect(try test.rows(awaiting: before + 1).count == before + 1)
    }

    @Test("None accepted is 202 as well: each has its answer, and would have the same again")
    func noneAccepted() throws {
        let test = try ReportHost()
        let answer = try test.post(array(["1", report(["model": "1"])]))
        #expect(answer.status == 202)
        let document = try answer.json()
        #expect(document["accepted"] == 0)
        #expect(document["refused"]?[0]?["reason"] == "not-an-object" && document["refused"]?[0]?["member"] == nil)
        #expect(document["refused"]?[1]?["reason"] == "wrong-type" && document["refused"]?[1]?["member"] == "model")
    }

    @Test("Of a broken body nothing is accepted")
    func broken() throws {
        let test = try ReportHost()
        let whole = array([report(), report()])
        for body in [
            "", "[]", "1", String(whole.dropLast()), whole + "x", array(Array(repeating: report(), count: 101)),
        ] {
            try expectProblem("bad-request", test.post(body), at: "/reports")
        }
        #expect(try test.post(array(Array(repeating: report(), count: 100))).status == 202)
        #expect(try test.rows(awaiting: 100).count == 100)
    }

    @Test("Reports of two loops are held by one limit")
    func loops() throws {
        let test = try ReportHost(loops: 2)
        let body = Array(array(Array(repeating: report(), count: 60)).utf8)
        let statuses = try (0..<8).map { _ in
            try test.connectFromAddress().post(body, [("Content-Type", "application/json")]).status
        }
        #expect(statuses == [202, 202] + Array(repeating: 429, count: 6))
        #expect(try test.rows(awaiting: 120).count == 120)
    }

    @Test("More than one address may send: rate-limited, with the time after which it is taken")
    func limited() throws {
        let test = try ReportHost()
        let json = [("Content-Type", "application/json")]
        let connection = try test.connectFromAddress()
        let hundred = Array(array(Array(repeating: report(), count: 100)).utf8)
        #expect(try connection.post(hundred, json).status == 202)
        let refused = try connection.post(hundred, json)
        try expectProblem("rate-limited", refused, at: "/reports")
        let wait = try #require(refused["Retry-After"].flatMap { Int($0) })
        #expect((75...81).contains(wait))
        // Malformed ones are not free.
        var answers: [Int] = []
        while answers.count < 60, answers.last != 429 { answers.append(try connection.post([], json).status) }
        #expect(answers.last == 429 && answers.dropLast().allSatisfy { $0 == 400 })
        // A proxy's clients are not one client.
        #expect(try test.post(report()).status == 202)
        #expect(try connection.request("GET", "/models").status == 200)
        #expect(try test.rows(awaiting: 101).count == 101)
    }

    @Test("The operator sees how many there were, and what became of them")
    func counted() throws {
        let test = try ReportHost()
        // The first one waited for the ledger with a body that is none.
        let before = try test.outcomes()
        #expect(before["accepted"] == 0 && before["rate_limited"] == 0)
        #expect(try test.post(array([report(), report(), "1"])).status == 202)
        #expect(try test.post("{").status == 400)
        let hundred = Array(array(Array(repeating: report(), count: 100)).utf8)
        let connection = try test.connectFromAddress()
        for status in [202, 429] {
            #expect(try connection.post(hundred, [("Content-Type", "application/json")]).status == status)
        }
        let refused = (before["refused"] ?? 0) + 2
        #expect(try test.outcomes() == ["accepted": 102, "refused": refused, "rate_limited": 100])
    }

    @Test("What cannot be written is not acknowledged: over-capacity, and afterwards it is taken")
    func notWritable() throws {
        let test = try ReportHost()
        #expect(try test.post(report()).status == 202)
        #expect(try test.rows(awaiting: 1).count == 1)
        let other = try test.database(.readWrite)
        try other.execute("BEGIN IMMEDIATE")
        var taken = 1
        let isRefused = try eventually {
            let answer = try test.post(report())
            if answer.status == 202 { taken += 1 }
            return answer.status == 503
        }
        #expect(isRefused)
        try expectProblem("over-capacity", test.post(report()), at: "/reports")
        #expect(try test.host.request("GET", "/models").status == 200)
        try other.execute("ROLLBACK")
        let isTaken = try eventually { try test.post(report()).status == 202 }
        #expect(isTaken)
        #expect(try test.rows(awaiting: taken + 1).count == taken + 1)
    }

    @Test("A queue that has no room for all takes none")
    func queueFull() throws {
        let test = try ReportHost(prepare: { $0?.queueCapacity = 50 })
        try expectProblem(
            "over-capacity",
            test.post(array(Array(repeating: report(), count: 51))),
            at: "/reports"
        )
        #expect(try test.post(array(Array(repeating: report(), count: 50))).status == 202)
        #expect(try test.rows(awaiting: 50).count == 50)
    }

    @Test("Without a ledger there is no such resource", arguments: ["POST", "GET", "HEAD", "PUT"])
    func off(_ method: String) throws {
        let test = try ReportHost(prepare: { $0 = nil })
        let answer = try test.connect().post(
            method == "POST" ? Array(report().utf8) : [],
            [("Content-Type", "application/json")],
            method: method
        )
        if method == "HEAD" {
            #expect(answer.status == 404 && answer["AIModel-Problem"] == "unknown-resource")
        } else {
            try expectProblem("unknown-resource", answer, at: "/reports")
        }
    }
}

import Testing

@testable import HostService

@Suite("The text exposition format of Prometheus, 0.0.4")
struct MetricsTextTests {
    private static func encoded(_ metrics: Metric...) -> String {
        String(decoding: MetricsText.encode(metrics), as: UTF8.self)
    }

    @Test("one metric without labels, one with several, one without samples; nothing at all")
    func whole() {
        let text = Self.encoded(
            Metric("a_total", .counter, "What a is.", 7),
            Metric(
                "b",
                .gauge,
                "What b is.",
                [Metric.Sample(1, ("x", "1"), ("y", "2")), Metric.Sample(2, ("x", "1"), ("y", ""))]
            ),
            Metric("c", .gauge, "", [])
        )
        #expect(
            text == """
                # HELP a_total What a is.
                # TYPE a_total counter
                a_total 7
                # HELP b What b is.
                # TYPE b gauge
                b{x="1",y="2"} 1
                b{x="1",y=""} 2
                # HELP c \n# TYPE c gauge

                """
        )
        #expect(Self.encoded() == "")
    }

    @Test(
        "the value of a label escapes \\, \" and LF, and keeps all else, UTF-8 too",
        arguments: [
            ("", ""), ("plain", "plain"), ("\\", "\\\\"), ("\"", "\\\""), ("\n", "\\n"), ("\\n", "\\\\n"),
            ("a\"} 1\nb{c=\"", "a\\\"} 1\\nb{c=\\\""), ("\r\t{},=", "\r\t{},="), ("größer", "größer"),
            ("\r\n", "\r\\n"),
        ]
    )
    func label(_ value: String, _ escaped: String) {
        let text = Self.encoded(Metric("m", .gauge, "h", [Metric.Sample(1, ("l", value))]))
        #expect(text.utf8.elementsEqual("# HELP m h\n# TYPE m gauge\nm{l=\"\(escaped)\"} 1\n".utf8))
    }

    @Test(
        "HELP escapes \\ and LF, and no quote",
        arguments: [("\\", "\\\\"), ("\n", "\\n"), ("a \"b\"", "a \"b\""), ("\\n\n", "\\\\n\\n")]
    )
    func help(_ help: String, _ escaped: String) {
        #expect(Self.encoded(Metric("m", .counter, help, [])) == "# HELP m \(escaped)\n# TYPE m counter\n")
    }

    @Test(
        "numbers as Go reads them",
        arguments: [
            (.whole(0), "0"), (.whole(.max), "18446744073709551615"), (.real(0), "0.0"), (.real(1.5), "1.5"),
            (.real(1_796_203_800.25), "1796203800.25"), (.real(1e300), "1e+300"), (.real(0.000_01), "1e-05"),
            (.real(.infinity), "+Inf"), (.real(-.infinity), "-Inf"), (.real(.nan), "NaN"),
        ] as [(Metric.Value, String)]
    )
    func number(_ value: Metric.Value, _ text: String) {
        let sample = Metric.Sample(labels: [], value: value)
        #expect(Self.encoded(Metric("m", .gauge, "h", [sample])) == "# HELP m h\n# TYPE m gauge\nm \(text)\n")
    }

    @Test("what should not be negative and is, is 0")
    func negative() {
        #expect(Metric("m", .gauge, "h", -1).samples[0].value == .whole(0))
    }
}

@Suite("Counts of questions for variants that are not there")
struct MissCountersTests {
    private func lines(_ counters: MissCounters) -> [String] {
        counters.all.map { "\($0.pair.model) \($0.pair.architecture) \($0.count)" }
    }

    @Test("by model and architecture, in order")
    func pairs() {
        let counters = MissCounters()
        #expect(lines(counters).isEmpty)
        for (name, architecture) in [("B", "h18p"), ("A", "h18p"), ("B", "h18p"), ("B", "h17p")] {
            counters.count(model: name, architecture: architecture)
        }
        #expect(lines(counters) == ["A h18p 1", "B h17p 1", "B h18p 2"])
    }

    @Test("beyond so many of one model the rest is other, and the places of other models stay free")
    func boundOfModel() {
        let counters = MissCounters(placesOfModel: 2, places: 100)
        for round in 0..<3 {
            for index in 0..<5 { counters.count(model: "A", architecture: "h\(index)p") }
            #expect(lines(counters) == ["A h0p \(round + 1)", "A h1p \(round + 1)", "A other \(3 * (round + 1))"])
        }
        counters.count(model: "B", architecture: "h9p")
        #expect(lines(counters).last == "B h9p 1")
    }

    @Test("beyond so many in all, too")
    func boundInAll() {
        let counters = MissCounters(placesOfModel: 2, places: 3)
        for name in ["A", "B", "C"] {
            for architecture in ["h1p", "h2p"] { counters.count(model: name, architecture: architecture) }
        }
        #expect(lines(counters) == ["A h1p 1", "A h2p 1", "B h1p 1", "B other 1", "C other 2"])
    }

    @Test("whatever is asked for, as many series as said and no more")
    func flood() {
        let counters = MissCounters()
        for name in 0..<20 {
            for index in 0..<1000 { counters.count(model: "M\(name)", architecture: "x\(index)") }
        }
        #expect(counters.all.count == 500 + 20)
        #expect(counters.all.reduce(0) { $0 + $1.count } == 20_000)
    }

    @Test("an architecture that calls itself other is counted there")
    func namedOther() {
        let counters = MissCounters(placesOfModel: 1, places: 1)
        counters.count(model: "A", architecture: "other")
        counters.count(model: "A", architecture: "h18p")
        #expect(lines(counters) == ["A other 2"])
    }
}

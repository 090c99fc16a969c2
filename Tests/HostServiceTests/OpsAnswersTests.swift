import HTTPWire
import Testing

@testable import HostService

@Suite("The answers of the administration's API that are given again")
struct OpsAnswersTests {
    private let answers = OpsAnswers()

    private func key(_ model: String = "Sam3") -> OpsAnswers.Key {
        OpsAnswers.Key(resource: .rates, scope: OpsScope(model: model))
    }

    private func document(_ text: String) -> OpsAnswers.Outcome {
        .success(Document(body: Array(text.utf8), cacheControl: "no-store"))
    }

    /// `ask`, `busy`, or the text of what is held.
    private func turn(_ key: OpsAnswers.Key, generation: UInt64 = 1, at now: Int64) -> String {
        switch answers.turn(key, generation: generation, now: now) {
        case .ask: "ask"
        case .held(.success(let document)): String(decoding: document.body, as: UTF8.self)
        case .held(.failure(let failure)): "\(failure)"
        }
    }

    @Test("An answer is given again for two seconds, and only of the same catalog")
    func fresh() {
        #expect(turn(key(), at: 0) == "ask")
        answers.finish(document("a"), key(), generation: 1, began: 0, now: 10)
        #expect(turn(key(), at: 10 + OpsAnswers.freshFor - 1) == "a")
        #expect(answers.fresh(key(), generation: 1, now: 11) != nil)
        #expect(answers.fresh(key(), generation: 2, now: 11) == nil)
        #expect(answers.fresh(key("Edge"), generation: 1, now: 11) == nil)
        #expect(turn(key(), generation: 2, at: 11) == "ask")
        #expect(turn(key(), at: 10 + OpsAnswers.freshFor) == "ask")
    }

    @Test("One that was dear is kept longer: asking takes a fifth of a processor at the most")
    func cost() {
        _ = turn(key(), at: 0)
        answers.finish(.failure(.tooSlow), key(), generation: 1, began: 0, now: 2000)
        #expect(turn(key(), at: 2000 + 9_999) == "tooSlow")
        #expect(turn(key(), at: 2000 + 10_000) == "ask")
    }

    @Test("Two ask at once; the others get what was known before, or are told to come again")
    func limit() {
        _ = turn(key("held"), at: 0)
        answers.finish(document("before"), key("held"), generation: 1, began: 0, now: 0)
        #expect(turn(key("a"), at: 5000) == "ask")
        #expect(turn(key("b"), at: 5000) == "ask")
        #expect(turn(key("c"), at: 5000) == "busy")
        #expect(turn(key("held"), at: 5000) == "before")
        #expect(turn(key("held"), at: OpsAnswers.usableFor) == "busy")
        answers.finish(document("a"), key("a"), generation: 1, began: 5000, now: 5001)
        #expect(turn(key("c"), at: 5002) == "ask")
        #expect(turn(key("d"), at: 5002) == "busy")
    }

    @Test("Whatever is asked for, no more than so many are held; the oldest go first")
    func bound() {
        for number in 0..<OpsAnswers.heldLimit + 1 {
            #expect(turn(key("\(number)"), at: Int64(number)) == "ask")
            answers.finish(document("x"), key("\(number)"), generation: 1, began: 0, now: Int64(number))
        }
        #expect(answers.fresh(key("0"), generation: 1, now: 70) == nil)
        #expect(answers.fresh(key("1"), generation: 1, now: 70) != nil)
        #expect(answers.fresh(key("\(OpsAnswers.heldLimit)"), generation: 1, now: 70) != nil)
    }
}

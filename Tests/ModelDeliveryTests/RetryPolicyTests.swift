import Foundation
import Testing

@testable import ModelDelivery

@Suite("When to try again, where, and when to give up")
struct RetryPolicyTests {
    private func policy(hosts: Int = 1, chance: Double = 0, first: Int = 0) -> RetryPolicy {
        RetryPolicy(options: .testing { $0.seams.random = { chance } }, hosts: hosts, first: first)
    }

    @Test("The wait doubles up to a minute, half of it left to chance", arguments: [0.0, 0.5])
    func backoff(chance: Double) {
        var policy = RetryPolicy(
            options: .testing {
                $0.seams.random = { chance }
                $0.attemptsWithoutProgress = 10
            },
            hosts: 1
        )
        let waits = (0..<9).map { _ in policy.failed(.again(after: nil), gained: false) }
        let full: [Double] = [0.5, 1, 2, 4, 8, 16, 32, 60, 60]
        #expect(waits == full.map { .attempt(host: 0, after: .seconds($0) * (0.5 + 0.5 * chance)) })
        #expect(policy.failed(.again(after: nil), gained: false) == .giveUp)
    }

    @Test("Bytes that were gained begin the count anew")
    func gained() {
        var policy = policy()
        for _ in 0..<50 { #expect(policy.failed(.again(after: nil), gained: true) != .giveUp) }
        for _ in 0..<4 { #expect(policy.failed(.again(after: nil), gained: false) != .giveUp) }
        #expect(policy.failed(.again(after: nil), gained: false) == .giveUp)
    }

    @Test("Retry-After: not before, and up to a fifth later", arguments: [0.0, 0.25, 0.75, 0.999])
    func retryAfter(chance: Double) {
        var policy = policy(chance: chance)
        let expected = Duration.seconds(30) * (1 + 0.2 * chance)
        #expect(policy.failed(.again(after: 30), gained: false) == .attempt(host: 0, after: expected))
        #expect(expected >= .seconds(30) && expected < .seconds(36))
    }

    @Test("A host that asks for no wait at all is not asked at once")
    func retryAfterNothing() {
        var policy = policy()
        let waits = (0..<3).map { _ in policy.failed(.again(after: 0), gained: false) }
        #expect(waits == [250, 500, 1000].map { .attempt(host: 0, after: .milliseconds($0)) })
    }

    @Test(
        "Retry-After: seconds, or a date in any of its three forms; what is neither is nothing",
        arguments: [
            ("0", 0), ("120", 120), ("99999999999999999999", RetryAfter.longest), ("-1", nil), ("+1", nil), ("", nil),
            ("soon", nil), ("Sun, 06 Nov 1994 08:49:37 GMT", 37), ("Sunday, 06-Nov-94 08:49:37 GMT", 37),
            ("Sun Nov  6 08:49:37 1994", 37), ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
            ("Wed, 21 Oct 2099 07:28:00 GMT", RetryAfter.longest),
        ] as [(String, Int?)]
    )
    func retryAfterText(_ text: String, _ seconds: Int?) {
        let now = RetryAfter.date("Sun, 06 Nov 1994 08:49:00 GMT")
        #expect(now?.timeIntervalSince1970 == 784_111_740)
        #expect(RetryAfter.seconds(text, now: now) == seconds)
    }

    @Test("A host that asks for an hour gets its error told")
    func hour() {
        var policy = policy()
        #expect(policy.failed(.again(after: 3600), gained: false) == .giveUp)
    }

    @Test("What cannot be helped is not tried again, whatever was gained")
    func never() {
        var policy = policy(hosts: 3)
        #expect(policy.failed(.none, gained: true) == .giveUp)
    }

    @Test("Hosts in turn: at once while there is one that was not asked, then after a wait")
    func hosts() {
        var policy = policy(hosts: 3, chance: 0, first: 4)
        #expect(policy.host == 1)
        #expect(policy.failed(.again(after: 9), gained: false) == .attempt(host: 2, after: .zero))
        #expect(policy.failed(.again(after: nil), gained: false) == .attempt(host: 0, after: .zero))
        #expect(policy.failed(.again(after: nil), gained: false) == .attempt(host: 1, after: .milliseconds(250)))
    }

    @Test("A host that lacks it is not asked again, whatever befalls the others")
    func lacking() {
        var policy = policy(hosts: 3)
        #expect(policy.failed(.elsewhere, gained: false) == .attempt(host: 1, after: .zero))
        #expect(policy.failed(.again(after: nil), gained: false) == .attempt(host: 2, after: .zero))
        #expect(policy.failed(.again(after: nil), gained: false) == .attempt(host: 1, after: .milliseconds(250)))
        #expect(policy.failed(.elsewhere, gained: false) == .attempt(host: 2, after: .zero))
        #expect(policy.failed(.again(after: 30), gained: false) == .attempt(host: 2, after: .seconds(30)))
        #expect(policy.failed(.elsewhere, gained: false) == .giveUp)
    }

    @Test("What one lacks, each of the others is asked for once")
    func elsewhere() {
        var policy = policy(hosts: 3)
        #expect(policy.failed(.elsewhere, gained: false) == .attempt(host: 1, after: .zero))
        #expect(policy.failed(.elsewhere, gained: false) == .attempt(host: 2, after: .zero))
        #expect(policy.failed(.elsewhere, gained: false) == .giveUp)
    }
}

import Testing

@testable import HostTransport

@Suite("InputWindow: octets go in at the back and out at the front")
struct InputWindowTests {
    private func put(_ octets: [UInt8], into window: InputWindow) {
        let room = window.room()
        #expect(room.count >= octets.count)
        room.copyBytes(from: octets)
        window.received(octets.count)
    }

    @Test("what is received follows what was left over")
    func order() {
        let window = InputWindow(capacity: 64)
        window.load([1, 2, 3])
        put([4, 5], into: window)
        #expect(Array(window.octets) == [1, 2, 3, 4, 5])
        window.consume(2)
        #expect(Array(window.octets) == [3, 4, 5])
        put([6], into: window)
        window.consume(4)
        #expect(window.isEmpty)
        #expect(window.room().count == 64)
        window.load([])
        #expect(window.isEmpty)
    }

    @Test("a window that is loaded forgets what it held for another connection")
    func load() {
        let window = InputWindow(capacity: 16)
        put([1, 2, 3, 4], into: window)
        window.load([9])
        #expect(Array(window.octets) == [9])
        window.clear()
        #expect(window.count == 0)
    }

    @Test(
        "as long as fewer octets are unused than it holds there is room, whatever has been used before",
        arguments: [1, 3, 7, 50, 99]
    )
    func room(held: Int) {
        let window = InputWindow(capacity: 100)
        var expected: [UInt8] = []
        var next: UInt8 = 0
        for _ in 0..<1000 {
            let count = min(held - expected.count, window.room().count)
            #expect(count > 0)
            let octets = (0..<count).map { next &+ UInt8($0) }
            next &+= UInt8(count)
            put(octets, into: window)
            expected += octets
            #expect(Array(window.octets) == expected)
            let used = expected.count / 2 + 1
            window.consume(used)
            expected.removeFirst(used)
        }
    }

    @Test("a full window has no room")
    func full() {
        let window = InputWindow(capacity: 8)
        window.load([1, 2, 3, 4, 5, 6, 7, 8])
        #expect(window.room().isEmpty)
        window.consume(1)
        #expect(window.room().count == 1)
        #expect(Array(window.octets) == [2, 3, 4, 5, 6, 7, 8])
    }
}

import Glibc
import TestSupport
import Testing

@testable import HostSystem

@Suite("What the kernel says of this process")
struct ProcessFiguresTests {
    @Test("descriptors: those that are opened and closed, whichever way they are counted")
    func descriptors() async {
        // In a process of its own: other tests open and close some all the time.
        await #expect(processExitsWith: .success) {
            let ways = [{ ProcessFigures.now().openFiles }, { ProcessFigures.countedFiles() }]
            // The process has just begun, and what watches it opens some of its own meanwhile.
            var looks: [Int] = []
            try #require(
                eventually {
                    looks.append(ways[looks.count % 2]())
                    return looks.count > 20 && Set(looks.suffix(20)).count == 1
                }
            )
            let before = ways[0]()
            try #require(before > 2)
            // With a gap below the highest.
            var opened = (0..<300).map { _ in dup(0) }
            for way in ways { try #require(way() == before + 300) }
            for descriptor in opened.prefix(299) { close(descriptor) }
            opened.removeFirst(299)
            for way in ways { try #require(way() == before + 1) }
        }
    }

    @Test("memory: what is written to becomes resident")
    func memory() async {
        await #expect(processExitsWith: .success) {
            let before = ProcessFigures.now().residentMemory
            try #require(before > 1 << 20)
            let block = [UInt8](repeating: 1, count: 256 << 20)
            try #require(ProcessFigures.now().residentMemory > before + (200 << 20))
            try #require(block.last == 1)
        }
    }

    @Test("processor time: grows with work, all threads together")
    func processorTime() throws {
        let before = ProcessFigures.now().processorSeconds
        // Whether this test gets the processor at once is the machine's business.
        let thread = try OSThread(name: "work") {
            var value = 0
            while ProcessFigures.now().processorSeconds < before + 0.05 { value &+= 1 }
        }
        thread.join()
        #expect(ProcessFigures.now().processorSeconds >= before + 0.05)
    }

    @Test("the start: in the past, not long ago, and the same whenever asked")
    func start() {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let start = ProcessFigures.startSeconds
        #expect(start <= Double(now.tv_sec) + 1)
        #expect(start > Double(now.tv_sec) - 86_400)
        #expect(ProcessFigures.startSeconds == start)
    }
}

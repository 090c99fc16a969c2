import Testing

@testable import ModelDelivery

@Suite("Progress")
struct ProgressTests {
    @Test("At most twice a second, and the last value at the end")
    func throttled() {
        let now = Box(Duration.zero)
        let told = Box<[DeliveryProgress]>([])
        var seams = DeliverySeams()
        seams.now = { now.value }
        let meter = ProgressMeter(seams: seams) { value in told.update { $0.append(value) } }
        meter.enter(.downloading, total: 1000)
        for _ in 0..<100 {
            now.update { $0 += .milliseconds(10) }
            meter.received(10)
        }
        // At 0, 0.5 and 1 s.
        #expect(told.value.map(\.bytes) == [0, 500, 1000])
        #expect(told.value.map(\.bytesPerSecond) == [0, 1000, 1000])
        meter.finish()
        #expect(told.value.last == DeliveryProgress(phase: .finished, bytes: 1000, total: 1000, bytesPerSecond: 1000))
        meter.flush()
        #expect(told.value.count == 4)
    }

    @Test("What was lost is not told, and what is there beyond the total neither")
    func bounds() {
        let now = Box(Duration.zero)
        let told = Box<[UInt64]>([])
        var seams = DeliverySeams()
        seams.now = {
            now.update {
                $0 += .seconds(1); return $0
            }
        }
        let meter = ProgressMeter(seams: seams) { value in told.update { $0.append(value.bytes) } }
        meter.enter(.downloading, total: 100)
        meter.found(60)
        meter.lost(60)
        meter.received(50)
        meter.received(70)
        #expect(told.value == [0, 60, 60, 60, 100])
    }

    @Test("The rate forgets what is long past")
    func rate() {
        let now = Box(Duration.zero)
        let told = Box<[Double]>([])
        var seams = DeliverySeams()
        seams.now = { now.value }
        let meter = ProgressMeter(seams: seams) { value in told.update { $0.append(value.bytesPerSecond) } }
        meter.enter(.downloading, total: 1 << 20)
        now.update { $0 = .seconds(1) }
        meter.received(10_000)
        for _ in 0..<10 {
            now.update { $0 += .seconds(1) }
            meter.received(100)
        }
        #expect(told.value.last == 100)
    }
}

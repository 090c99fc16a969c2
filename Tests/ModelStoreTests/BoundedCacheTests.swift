import Testing

@testable import ModelStore

@Suite("BoundedCache: bounded by cost, the least recently used goes first")
struct BoundedCacheTests {
    private func held(_ cache: BoundedCache<String, Int>, _ keys: String...) -> [String] {
        var cache = cache
        return keys.filter { cache.value(for: $0) != nil }
    }

    @Test("what fits is held")
    func fits() {
        var cache = BoundedCache<String, Int>(limit: 10)
        cache.insert(1, for: "a", cost: 5)
        cache.insert(2, for: "b", cost: 5)
        #expect(cache.value(for: "a") == 1)
        #expect(cache.value(for: "b") == 2)
        #expect(cache.value(for: "c") == nil)
        #expect(cache.cost == 10)
        #expect(cache.count == 2)
    }

    @Test("beyond the limit the one used longest ago goes, and a look is a use")
    func evicts() {
        var cache = BoundedCache<String, Int>(limit: 10)
        for key in ["a", "b"] { cache.insert(0, for: key, cost: 5) }
        _ = cache.value(for: "a")
        cache.insert(0, for: "c", cost: 5)
        #expect(held(cache, "a", "b", "c") == ["a", "c"])
        #expect(cache.cost == 10)
    }

    @Test("one large value drives out as many as it takes")
    func drivesOut() {
        var cache = BoundedCache<String, Int>(limit: 10)
        for key in ["a", "b", "c"] { cache.insert(0, for: key, cost: 3) }
        cache.insert(0, for: "d", cost: 7)
        #expect(held(cache, "a", "b", "c", "d") == ["c", "d"])
        #expect(cache.cost == 10)
    }

    @Test("a value above the limit is held alone, until the next one comes")
    func tooLarge() {
        var cache = BoundedCache<String, Int>(limit: 10)
        cache.insert(0, for: "a", cost: 3)
        cache.insert(0, for: "b", cost: 11)
        #expect(held(cache, "a", "b") == ["b"])
        cache.insert(0, for: "c", cost: 1)
        #expect(held(cache, "b", "c") == ["c"])
        #expect(cache.cost == 1)
    }

    @Test("a key holds one value, and its cost counts once")
    func replaces() {
        var cache = BoundedCache<String, Int>(limit: 10)
        cache.insert(1, for: "a", cost: 4)
        cache.insert(2, for: "a", cost: 6)
        #expect(cache.value(for: "a") == 2)
        #expect(cache.cost == 6)
        #expect(cache.count == 1)
        cache.remove("a")
        cache.remove("a")
        #expect(cache.cost == 0)
        #expect(cache.value(for: "a") == nil)
    }

    @Test("over ten thousand turns it holds what a plain list would hold")
    func likeAList() {
        var cache = BoundedCache<Int, Int>(limit: 40)
        var list: [(key: Int, cost: Int)] = []  // Newest last.
        var state: UInt64 = 7
        for turn in 0..<10_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let key = Int(state >> 33) % 20
            switch (state >> 60) % 4 {
            case 0:
                cache.remove(key)
                list.removeAll { $0.key == key }
            case 1:
                let place = list.firstIndex { $0.key == key }
                #expect((cache.value(for: key) != nil) == (place != nil))
                if let place { list.append(list.remove(at: place)) }
            default:
                let cost = 1 + turn % 9
                cache.insert(turn, for: key, cost: cost)
                list.removeAll { $0.key == key }
                list.append((key, cost))
                while list.reduce(0, { $0 + $1.cost }) > 40 { list.removeFirst() }
            }
            #expect(cache.count == list.count)
            #expect(cache.cost == list.reduce(0) { $0 + $1.cost })
        }
    }
}

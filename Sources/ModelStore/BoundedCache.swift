/// A cache bounded by the cost of what it holds: what was not used for longest goes first.
///
/// A value whose own cost is above the bound is held alone, until the next one comes: refusing it would mean to make
/// it anew at each use. A value, not shared: its owner keeps it behind a lock.
package struct BoundedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Slot {
        var key: Key
        var value: Value
        var cost: Int
        /// Neighbours in the order of use; -1 at the ends.
        var newer: Int
        var older: Int
    }

    private var slots: [Slot?] = []
    private var places: [Key: Int] = [:]
    private var newest = -1
    private var oldest = -1
    private var free: [Int] = []

    /// The cost of everything held.
    package private(set) var cost = 0
    /// In the unit of the costs.
    package let limit: Int

    /// How many values are held.
    package var count: Int { places.count }

    /// `limit`: what the costs of all values held may sum up to.
    package init(limit: Int) {
        self.limit = limit
    }

    /// The value, which is now the last to go.
    package mutating func value(for key: Key) -> Value? {
        guard let place = places[key], let slot = slots[place] else { return nil }
        if place != newest {
            unlink(place)
            link(place)
        }
        return slot.value
    }

    /// Holds the value in place of the one there was.
    package mutating func insert(_ value: Value, for key: Key, cost added: Int) {
        remove(key)
        let slot = Slot(key: key, value: value, cost: added, newer: -1, older: -1)
        let place: Int
        if let reused = free.popLast() {
            place = reused
            slots[place] = slot
        } else {
            place = slots.count
            slots.append(slot)
        }
        places[key] = place
        link(place)
        cost += added
        while cost > limit, oldest != newest, let last = slots[oldest] { remove(last.key) }
    }

    /// Lets go of the value, if there is one.
    package mutating func remove(_ key: Key) {
        guard let place = places.removeValue(forKey: key), let slot = slots[place] else { return }
        unlink(place)
        slots[place] = nil
        free.append(place)
        cost -= slot.cost
    }

    /// Lets go of each value whose key is not wanted.
    package mutating func removeAll(where unwanted: (Key) -> Bool) {
        for key in places.keys.filter(unwanted) { remove(key) }
    }

    private mutating func link(_ place: Int) {
        slots[place]?.older = newest
        slots[place]?.newer = -1
        if newest >= 0 { slots[newest]?.newer = place }
        newest = place
        if oldest < 0 { oldest = place }
    }

    private mutating func unlink(_ place: Int) {
        guard let slot = slots[place] else { return }
        if slot.newer >= 0 { slots[slot.newer]?.older = slot.older } else { newest = slot.older }
        if slot.older >= 0 { slots[slot.older]?.newer = slot.newer } else { oldest = slot.newer }
    }
}

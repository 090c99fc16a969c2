internal import HTTPWire
internal import HostSystem

/// The connections of one loop, found by token.
///
/// A token is a slot's number and how often the slot has been used, so an event or a job's result that comes after
/// its connection has ended finds nothing, even when the slot serves another client by then. The highest bit is clear.
struct ConnectionTable {
    private var slots: [Connection?] = []
    private var uses: [UInt32] = []
    private var free: [Int] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    subscript(token: UInt64) -> Connection? {
        let slot = Int(token & 0xffff_ffff)
        guard slot < slots.count, let connection = slots[slot], connection.token == token else { return nil }
        return connection
    }

    mutating func insert(_ socket: consuming FileDescriptor, peer: PeerAddress, handler: Int, limits: RequestLimits)
        -> Connection
    {
        let slot: Int
        if let last = free.popLast() {
            slot = last
        } else {
            slot = slots.count
            slots.append(nil)
            uses.append(0)
        }
        uses[slot] = (uses[slot] &+ 1) & 0x7fff_ffff
        let token = UInt64(uses[slot]) << 32 | UInt64(slot)
        let connection = Connection(socket: socket, peer: peer, handler: handler, token: token, limits: limits)
        slots[slot] = connection
        count += 1
        return connection
    }

    mutating func remove(_ connection: Connection) {
        let slot = Int(connection.token & 0xffff_ffff)
        guard slots[slot] === connection else { return }
        slots[slot] = nil
        free.append(slot)
        count -= 1
    }

    func forEach(_ body: (Connection) -> Void) {
        for case let connection? in slots { body(connection) }
    }
}

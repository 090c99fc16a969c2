internal import HTTPWire
internal import HostSystem
internal import Synchronization

/// One thread's epoll loop: its listeners, its connections, and nothing of any other loop.
///
/// Made and used on one thread. What other threads have to say comes through its `LoopMailbox`.
final class EventLoop {
    // Tokens of connections have the highest bit clear; see ConnectionTable.
    static let listenerToken: UInt64 = 1 << 63
    private static let mailboxToken = UInt64.max

    let limits: TransportLimits
    let clock: LoopClock
    let handlers: [any RequestHandler]
    let shared: SharedState
    /// One for each handler.
    let tallies: [ConnectionTally]
    let mailbox: LoopMailbox
    var listeners: [LoopListener]

    var epoll: Epoll
    let window: InputWindow
    var head = RequestHead()
    var out = ResponseHead()
    var connections = ConnectionTable()
    private var wheel: DeadlineWheel
    /// Connections that used up their share of this round and go on in the next.
    private var queued: [UInt64] = []
    private var running: [UInt64] = []
    /// Connections whose last answer is out, and whose handler waits to hear what has become of it.
    var tails: [UInt64] = []

    var isAccepting = false
    /// Set by a stop: no request after the one under way is read.
    private(set) var isDraining = false
    private var drainDeadline = Int64.max
    private var lastTick: Int64 = 0

    init(
        limits: TransportLimits,
        listeners: [LoopListener],
        shared: SharedState,
        mailbox: LoopMailbox,
        clock: LoopClock,
        handlers: [any RequestHandler]
    ) throws(Errno) {
        self.limits = limits
        self.clock = clock
        self.handlers = handlers
        self.shared = shared
        tallies = handlers.map { _ in ConnectionTally() }
        self.mailbox = mailbox
        self.listeners = listeners
        epoll = try Epoll()
        window = InputWindow(capacity: 64 << 10 + limits.request.head + Int(limits.discardedBody))
        wheel = DeadlineWheel(nowMilliseconds: clock.milliseconds)
        try epoll.add(mailbox.wakeUp.descriptor, .readable, token: Self.mailboxToken)
        try startAccepting()
        shared.keep(tallies)
    }

    /// Serves until a stop has been asked for and every connection has ended.
    func run() throws(Errno) {
        while !(isDraining && connections.isEmpty) {
            let count = try epoll.wait(milliseconds: queued.isEmpty ? 1000 : 0)
            clock.update()
            for index in 0..<count {
                let (token, events) = epoll.event(index)
                if token == Self.mailboxToken {
                    receiveMail()
                } else if token & Self.listenerToken != 0 {
                    accept(Int(truncatingIfNeeded: token & ~Self.listenerToken))
                } else if let connection = connections[token] {
                    handle(events, of: connection)
                }
            }
            runQueued()
            if clock.milliseconds / 1000 != lastTick {
                lastTick = clock.milliseconds / 1000
                tick()
            }
        }
        for handler in handlers { handler.housekeeping() }
    }

    // MARK: Events

    private func handle(_ events: Epoll.Events, of connection: Connection) {
        if events.contains(.error) {
            // Reset: nothing that we write can arrive any more.
            return close(connection)
        }
        if events.contains(.hangUp) {
            // Both directions have ended. When we have ended ours, octets before the peer's end may be unread, and
            // closing over them would be a reset.
            guard case .lingering = connection.phase else { return close(connection) }
            connection.readable = true
        }
        if events.contains(.readable) || events.contains(.peerClosed) { connection.readable = true }
        if events.contains(.peerClosed) { connection.peerFinished = true }
        switch connection.phase {
        case .waiting: break
        case .sending where !events.contains(.writable): break
        default: serve(connection)
        }
    }

    /// Lets a connection go on after the others have had their turn.
    func queue(_ connection: Connection) {
        guard !connection.isQueued else { return }
        connection.isQueued = true
        queued.append(connection.token)
    }

    private func runQueued() {
        guard !queued.isEmpty else { return }
        swap(&queued, &running)
        for token in running {
            guard let connection = connections[token], connection.isQueued else { continue }
            connection.isQueued = false
            serve(connection)
        }
        running.removeAll(keepingCapacity: true)
    }

    /// Ends a connection: the descriptor is closed, its token means nothing from now on.
    func close(_ connection: Connection) {
        tellEnd(of: connection, isWhole: false)
        connection.job?.end()
        connections.remove(connection)
        countClosed(connection)
        shared.releaseConnection()
        if !isAccepting, !isDraining { try? startAccepting() }
    }

    // MARK: Time

    /// The connection is looked at when `time` milliseconds have passed, unless the deadline moves before.
    func setDeadline(of connection: Connection, in time: Int64) {
        connection.deadline = clock.milliseconds + time
        guard connection.wheelTick == 0 || connection.deadline < connection.wheelTick * 1000 - 999 else { return }
        let tick = wheel.tick(for: connection.deadline)
        guard tick != connection.wheelTick else { return }
        connection.wheelTick = tick
        wheel.insert(connection.token, tick: tick)
    }

    private func tick() {
        while let (tick, tokens) = wheel.takeDue(nowMilliseconds: clock.milliseconds) {
            for token in tokens { lookAt(token, tick: tick) }
            wheel.recycle(tokens)
        }
        settleTails()
        for handler in handlers { handler.housekeeping() }
        if !isAccepting { try? startAccepting() }
        if isDraining, clock.milliseconds >= drainDeadline {
            connections.forEach { close($0) }
        }
    }

    /// A connection's second in the wheel has come: its deadline has passed, or has moved and it is entered anew.
    private func lookAt(_ token: UInt64, tick: Int64) {
        guard let connection = connections[token], connection.wheelTick == tick else { return }
        connection.wheelTick = 0
        if connection.deadline <= clock.milliseconds { expire(connection) }
        guard connections[token] != nil, connection.wheelTick == 0 else { return }
        connection.wheelTick = wheel.tick(for: connection.deadline)
        wheel.insert(token, tick: connection.wheelTick)
    }

    // MARK: Mail

    private func receiveMail() {
        mailbox.wakeUp.clear()
        for letter in mailbox.take() {
            switch letter {
            case .found(let token, let result):
                guard let connection = connections[token] else { continue }
                resume(connection, with: result)
            case .drain:
                drain()
            }
        }
    }

    /// Stops accepting, ends idle connections, and lets the others finish what is being sent.
    private func drain() {
        guard !isDraining else { return }
        // Connections that the kernel has completed already belong to us: closing the listener would reset them.
        for index in listeners.indices { accept(index, bound: 4096) }
        pauseAccepting()
        listeners.removeAll()
        isDraining = true
        drainDeadline = clock.milliseconds + limits.drainTime
        connections.forEach { connection in
            guard connection.isIdle else { return hurry(connection) }
            // A request may have come in this very moment, its event still behind the stop: it is answered, with
            // Connection: close. Closing over it would be a reset.
            connection.readable = true
            serve(connection)
            guard connections[connection.token] != nil else { return }
            if connection.isIdle { endIdle(connection) } else { hurry(connection) }
        }
    }

    /// A head that has begun gets little time more: a client that stands still must not hold a stop for all of its
    /// deadline.
    private func hurry(_ connection: Connection) {
        guard case .readingHead = connection.phase,
            connection.deadline > clock.milliseconds + limits.drainHeadTime
        else { return }
        setDeadline(of: connection, in: limits.drainHeadTime)
    }
}

internal import HostSystem
internal import Synchronization

/// What other threads have to say to a loop.
final class LoopMailbox: Sendable {
    enum Letter: Sendable {
        /// A job's result for the connection with this token.
        case found(UInt64, any Sendable)
        /// Stop accepting, finish what is under way, end.
        case drain
    }

    let wakeUp: WakeUp
    private let letters = Mutex<[Letter]>([])

    init() throws(Errno) {
        wakeUp = try WakeUp()
    }

    func post(_ letter: Letter) {
        letters.withLock { $0.append(letter) }
        wakeUp.signal()
    }

    func take() -> [Letter] {
        letters.withLock { letters in
            defer { letters = [] }
            return letters
        }
    }
}

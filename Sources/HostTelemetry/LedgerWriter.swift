/// placeholder during construction
final class LedgerWriter {
    init(_ settings: LedgerSettings, _ queue: LedgerQueue) {}
    func run() {}
}

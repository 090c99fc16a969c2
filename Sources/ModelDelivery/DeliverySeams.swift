internal import Foundation

/// The instants between which a process may end: where the tests end it.
package enum InstallStep: Hashable, Sendable, CaseIterable {
    /// The offer and the manifest are known; nothing was written.
    case planned
    /// A file is whole, verified and under its digest's name.
    case fileStaged
    /// The tree is put together, unfinished still.
    case assembled
    /// Every byte and every name of it is on the disk.
    case synced
    /// The tree stands at its place.
    case renamed
    /// Its record stands beside it.
    case recorded
    /// The pointer leads to it.
    case pointed
}

/// What a library asks of the world around it, so that tests can answer instead.
package struct DeliverySeams: Sendable {
    /// Waits between attempts.
    package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// At least 0, below 1.
    package var random: @Sendable () -> Double = { Double.random(in: 0..<1) }
    /// A clock that only goes forward; its zero means nothing.
    package var now: @Sendable () -> Duration = {
        .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds))
    }
    /// Bytes that the system would give to a file in this folder; nil to ask the system.
    package var freeBytes: (@Sendable (_ folder: String) -> UInt64)?
    /// Called at each step; what it throws ends the installation there, with nothing put in order.
    package var reached: @Sendable (InstallStep) throws(DeliveryError) -> Void = { _ in }
    /// Called before bytes are written to an unfinished file, with the place and the count; an error number that it
    /// returns is what the write fails with.
    package var writeFault: (@Sendable (_ offset: UInt64, _ count: Int) -> Int32?)?
    /// Hard links fail, as where the file system has none.
    package var linksFail = false
    /// What carries the requests; nil for the transport of the system.
    package var transport: (any ExchangeTransport)?

    package init() {}
}

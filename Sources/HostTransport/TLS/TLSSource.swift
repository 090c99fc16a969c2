internal import HostSystem
internal import Synchronization

/// The certificates that new connections get: read at the start, and anew when told. Used from any thread.
package final class TLSSource: Sendable {
    package let settings: TLSSettings
    /// Kept over changes of certificates, so that clients resume.
    private let keys: TicketKeys
    private let context: Mutex<TLSContext>

    /// Reads the files that `settings` names.
    package init(_ settings: TLSSettings, keys: TicketKeys = TicketKeys()) throws(TLSError) {
        self.settings = settings
        self.keys = keys
        context = Mutex(try TLSContext(settings, keys: keys))
    }

    /// What an operator should know of the certificates in use, such as that one has expired.
    package var notices: [String] { current().notices }

    /// Reads the files anew, for connections that come from now on; those in use stay where that fails.
    package func reload() throws(TLSError) {
        let made = try TLSContext(settings, keys: keys)
        context.withLock { $0 = made }
    }

    func current() -> TLSContext { context.withLock { $0 } }
}

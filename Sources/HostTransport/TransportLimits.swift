package import HTTPWire

/// The limits of every connection. Times are in milliseconds.
package struct TransportLimits: Sendable {
    /// The request line, the head and the number of fields.
    package var request = RequestLimits()
    /// From a connection's begin to the end of its TLS handshake.
    package var handshakeTime: Int64 = 10_000
    /// From the first octet of a head (or from the connection's begin) to its end, and the same for a body.
    package var headTime: Int64 = 10_000
    /// Between two requests of a kept connection.
    package var idleTime: Int64 = 60_000
    /// How long a peer may take not one octet of an answer. There is no limit on the whole.
    package var stallTime: Int64 = 60_000
    /// How long a job may take before its request is answered with 503.
    package var jobTime: Int64 = 60_000
    /// Jobs that may wait for a worker thread; a request that needs one more is answered with 503.
    package var waitingJobs = 1024
    /// After the last answer: how long the peer may take to end once it has everything (or stands still), and how many
    /// octets are still taken, so that a reset does not destroy the answer (RFC 9112 9.6).
    package var lingerTime: Int64 = 5_000
    package var lingerOctets = 1 << 20
    /// A request's body that is read and dropped, so that the connection can be kept; a longer one ends it.
    package var discardedBody: UInt64 = 64 << 10
    /// Connections in all; more wait in the kernel's queue. nil: what the descriptor limit leaves after the reserve.
    package var connections: Int?
    /// After a stop: how long answers under way may still take.
    package var drainTime: Int64 = 30_000
    /// After a stop: how long a head that has begun to arrive may still take.
    package var drainHeadTime: Int64 = 1_000

    package init() {}
}

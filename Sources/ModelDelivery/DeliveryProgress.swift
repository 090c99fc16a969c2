/// How far an installation is. A value of a sequence that speaks at most twice a second.
public struct DeliveryProgress: Hashable, Sendable {
    public enum Phase: String, Hashable, Sendable {
        /// Asking the host, looking for room and for what is here already.
        case preparing
        case downloading
        /// All bytes are here and hashed; they are put in place.
        case installing
        case finished
    }

    public let phase: Phase
    /// Bytes of the release that are here: those of installed versions and of earlier attempts count. Never less than
    /// in the value before.
    public let bytes: UInt64
    /// Bytes of the release; 0 until the host has said.
    public let total: UInt64
    /// Bytes from the network a second, over the last seconds; 0 where nothing was transferred.
    public let bytesPerSecond: Double

    public init(phase: Phase, bytes: UInt64, total: UInt64, bytesPerSecond: Double) {
        self.phase = phase
        self.bytes = bytes
        self.total = total
        self.bytesPerSecond = bytesPerSecond
    }

    /// 0 to 1; 0 where the total is not known.
    public var fraction: Double { total == 0 ? (phase == .finished ? 1 : 0) : Double(bytes) / Double(total) }
}

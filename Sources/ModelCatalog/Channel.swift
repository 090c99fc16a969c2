/// What a channel pointed at once.
package struct PastVersion: Hashable, Sendable {
    package let version: Version
    /// When the channel left this version, as RFC 3339.
    package let at: String

    package init(version: Version, at: String) {
        self.version = version
        self.at = at
    }
}

/// Where a channel leads, and whom.
package struct Channel: Hashable, Sendable {
    package let version: Version
    /// Which part of the devices gets `version`, in percent: 1 to 100. The others stay with what was there before.
    package let share: Int
    /// Newest first: element 0 is what the channel pointed at before.
    package let history: [PastVersion]

    /// - Parameter share: brought into 1...100.
    package init(version: Version, share: Int = 100, history: [PastVersion] = []) {
        self.version = version
        self.share = min(max(share, 1), 100)
        self.history = history
    }

    /// The versions that devices are led to: one, or two while the share is not whole.
    package var targets: [Version] {
        guard share < 100, let before = history.first?.version, before != version else { return [version] }
        return [version, before]
    }

    /// The version that this device gets. The same device gets the same answer until the channel moves, and whoever
    /// is in at 10 % is in at 20 % too. One that does not say who it is stays with the version before, if any.
    ///
    /// - Parameter device: the opaque id that the app made.
    package func version(for device: String?, model: ModelName) -> Version {
        guard share < 100, let before = history.first?.version else { return version }
        guard let device, !device.isEmpty else { return before }
        return Self.bucket(model: model, version: version, device: device) < UInt64(share) ? version : before
    }

    /// 0 to 99. The version goes in, so that it is not always the same devices that are first.
    ///
    /// FNV-1a, 64 bits, over `model NUL version NUL device`: `Hasher` is seeded anew in each process, and two hosts
    /// must agree.
    static func bucket(model: ModelName, version: Version, device: String) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        model.text.utf8.forEach(add)
        add(0)
        version.text.utf8.forEach(add)
        add(0)
        device.utf8.forEach(add)
        return hash % 100
    }
}

/// A version, or one architecture of it, that nobody should download any more. Its files stay where they are.
package struct Withdrawal: Hashable, Sendable {
    package let version: Version
    /// nil for the whole version.
    package let architecture: Architecture?
    package let reason: String
    package let replacement: Version?
    /// When, as RFC 3339.
    package let at: String

    package init(version: Version, architecture: Architecture?, reason: String, replacement: Version?, at: String) {
        self.version = version
        self.architecture = architecture
        self.reason = reason
        self.replacement = replacement
        self.at = at
    }
}

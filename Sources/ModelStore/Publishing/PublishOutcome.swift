package import ModelCatalog

/// How far a publication has come.
package struct PublishProgress: Hashable, Sendable {
    /// Octets of the release that were read; never less than before.
    package let done: UInt64
    /// Octets of the release.
    package let total: UInt64

    package init(done: UInt64, total: UInt64) {
        self.done = done
        self.total = total
    }
}

/// What a publication came to.
package enum PublishOutcome: Sendable {
    /// The version is published now (in a dry run: would be). In octets, of the files of the release: `stored` had to be
    /// put on the disk, `linked` was there already, in the store or in another file of the same release.
    case published(Manifest, stored: UInt64, linked: UInt64)
    /// The version was published before with the same content, under this manifest; nothing was written.
    case alreadyPublished(Manifest)
}

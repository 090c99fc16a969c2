internal import Foundation

/// Which download the unfinished files of a model belong to. It lies among them and goes where they go: what another
/// process continues is the same download, and what begins from nothing is another.
struct DownloadRecord: Codable {
    /// A UUID, in lower case as RFC 9562, section 4 has it written.
    let id: String
    /// The release's name (`ChosenRelease`).
    let release: String

    static let fileName = "download.json"

    init(beginning release: String) {
        // Version 4: chance alone. Nothing of the device or the time is in it.
        id = UUID().uuidString.lowercased()
        self.release = release
    }

    /// Whether requests may bear it: a file can hold anything.
    var isSound: Bool { UUID(uuidString: id)?.uuidString.lowercased() == id }
}

extension Staging {
    /// The UUID of a release's download: that on record, else a new one, on record before the first request bears it.
    ///
    /// It tells a host which requests are one download, and nothing here depends on it. So no fault ends anything: what
    /// cannot be read is replaced, and what cannot be written is good for this process. Under the installation's lock.
    func download(of release: ChosenRelease) -> String {
        let path = "\(folder)/\(DownloadRecord.fileName)"
        if let kept = layout.read(DownloadRecord.self, at: path), kept.isSound, kept.release == release.name {
            return kept.id
        }
        let new = DownloadRecord(beginning: release.name)
        try? layout.write(new, to: path)
        return new.id
    }
}

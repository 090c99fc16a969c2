internal import HTTPWire
internal import HostSystem
internal import HostTransport
internal import ModelCatalog
internal import ModelStore

/// Opens published files for serving. May be used from any thread.
struct FileOpener: Sendable {
    /// A file of at most so many octets is kept in memory beside its head and sent with it in one call.
    static let memoryLimit: UInt64 = 16 << 10

    let tree: PublicTree
    let findings: CatalogFindings

    enum Outcome: Sendable {
        case opened(PreparedFile)
        /// The kernel would have to read a folder or the file from the disk.
        case wouldWait
        case damaged
        /// No descriptor or memory just now, or the disk does not answer.
        case exhausted
    }

    /// Opens a file that a manifest lists. With `mayWait` false it never waits for the disk.
    func open(_ description: PreparedFile.Description, mayWait: Bool) -> Outcome {
        let descriptor: FileDescriptor
        var status: FileStatus?
        do throws(OpenFailure) {
            descriptor = try tree.open(
                description.path,
                expectedSize: description.size,
                wait: mayWait ? .allowed : .never,
                status: &status
            )
        } catch .wouldWait {
            return .wouldWait
        } catch {
            // A lack of descriptors says nothing about this file; a disk that does not answer is for the operator to
            // hear of, and stands until the file can be opened again.
            if case .exhausted = error { return .exhausted }
            findings.report(Self.subject(description.path), error.description)
            return error.isDamage ? .damaged : .exhausted
        }
        guard description.size <= Self.memoryLimit else {
            findings.clear(Self.subject(description.path))
            return .opened(PreparedFile(description, content: .file(SharedFile(descriptor)), status: status))
        }
        return read(descriptor, description, status, mayWait: mayWait)
    }

    /// Whether the path of a file that was opened still leads to it, as it was then. Does not wait for the disk.
    func isUnchanged(_ file: PreparedFile) -> Bool {
        switch file.content {
        // It is located anew, which looks at each of its files.
        case .archive: return false
        case .memory, .file: break
        }
        // What comes from no file of the tree is true to its snapshot, and goes with it.
        guard let status = file.status else { return true }
        return tree.isUnchanged(file.description.path, since: status)
    }

    /// Whether a file is there with its size, as `open` would find it.
    func look(at path: String, size: UInt64, mayWait: Bool) -> Look {
        do throws(OpenFailure) {
            _ = try tree.open(path, expectedSize: size, wait: mayWait ? .allowed : .never)
            return .whole
        } catch .wouldWait {
            return .wouldWait
        } catch {
            if case .exhausted = error { return .exhausted }
            findings.report(Self.subject(path), error.description)
            return error.isDamage ? .damaged : .exhausted
        }
    }

    enum Look { case whole, wouldWait, damaged, exhausted }

    /// A file of an archive that is under way; nil, and a finding, if it cannot be sent.
    func openShared(_ path: String, size: UInt64) -> SharedFile? {
        do throws(OpenFailure) {
            return SharedFile(try tree.open(path, expectedSize: size, wait: .allowed))
        } catch {
            findings.report(Self.subject(path), error.description)
            return nil
        }
    }

    /// How a finding names a file that lies at `path` below the document root.
    private static func subject(_ path: String) -> String { StoreLayout.publicFolder + "/" + path }

    private func read(
        _ descriptor: borrowing FileDescriptor,
        _ description: PreparedFile.Description,
        _ status: FileStatus?,
        mayWait: Bool
    ) -> Outcome {
        let size = Int(description.size)
        var outcome = Transferred.end
        var octets = [UInt8](repeating: 0, count: size)
        var filled = 0
        while filled < size {
            outcome = octets.withUnsafeMutableBytes { buffer in
                let room = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                return mayWait
                    ? descriptor.read(into: room, at: Int64(filled))
                    : descriptor.readCached(into: room, at: Int64(filled))
            }
            guard case .octets(let count) = outcome else { break }
            filled += count
        }
        let subject = Self.subject(description.path)
        guard filled == size else {
            if outcome == .wouldBlock { return .wouldWait }
            if case .failed(let error) = outcome {
                // A file system that does not know RWF_NOWAIT: read it where waiting is allowed.
                if !mayWait { return .wouldWait }
                findings.report(subject, "cannot be read: \(error)")
            } else {
                findings.report(subject, "was cut while it was read")
            }
            return .damaged
        }
        guard SHA256.digest(of: octets) == description.digest.bytes else {
            findings.report(subject, "has other content than its manifest says; publish it again")
            return .damaged
        }
        findings.clear(subject)
        return .opened(PreparedFile(description, content: .memory(octets), status: status))
    }
}

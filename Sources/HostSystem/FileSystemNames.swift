internal import CHostLinux
internal import Glibc

/// Names in folders: given, changed, and taken away.
extension FileDescriptor {
    /// linkat(2): `newName` in `newFolder` becomes another name of the file `name` in this one. Neither may be there
    /// as a link, nor `newName` at all.
    package func link(_ name: String, to newFolder: borrowing FileDescriptor, _ newName: String) throws(Errno) {
        let (old, new) = (raw, newFolder.raw)
        _ = try retryingInterrupts { linkat(old, name, new, newName, 0) }
    }

    /// renameat(2): whatever stood at the new name is replaced.
    package func rename(_ name: String, to newFolder: borrowing FileDescriptor, _ newName: String) throws(Errno) {
        let (old, new) = (raw, newFolder.raw)
        _ = try retryingInterrupts { renameat(old, name, new, newName) }
    }

    /// The same where nothing may stand at the new name; EEXIST otherwise.
    ///
    /// Some file systems (NFS among them) cannot do both at once and say EINVAL. Then it is looked for before, so the
    /// caller must hold a lock against others who might make the name.
    package func renameNew(_ name: String, to newFolder: borrowing FileDescriptor, _ newName: String) throws(Errno) {
        let (old, new) = (raw, newFolder.raw)
        do throws(Errno) {
            _ = try retryingInterrupts { chost_rename_new(old, name, new, newName) }
        } catch {
            guard error == .invalid || error == .noSystemCall else { throw error }
            if try newFolder.has(newName) { throw .exists }
            try rename(name, to: newFolder, newName)
        }
    }

    /// Whether something of this name is here, a link included.
    package func has(_ name: String) throws(Errno) -> Bool {
        do throws(Errno) {
            _ = try status(of: name)
            return true
        } catch .noEntry {
            return false
        }
    }

    /// Takes the name of a file or link away; one that is gone is no error.
    package func removeFile(_ name: String) throws(Errno) {
        let number = raw
        do throws(Errno) { _ = try retryingInterrupts { unlinkat(number, name, 0) } } catch .noEntry {}
    }

    /// Removes the empty folder `name`; one that is gone is no error.
    package func removeFolder(_ name: String) throws(Errno) {
        let number = raw
        do throws(Errno) { _ = try retryingInterrupts { unlinkat(number, name, AT_REMOVEDIR) } } catch .noEntry {}
    }

    /// Removes what is at `name` here with all it holds, read-only folders included. Links are not followed; what is
    /// gone is no error.
    ///
    /// Folders are moved up beside `name` (as `name~1`, `name~2` and on) before they are emptied: two descriptors are
    /// enough for any depth, and paths stay short. So this folder should be one where such names are free.
    package func removeTree(_ name: String) throws(Errno) {
        var moved = 0
        var pending = [name]
        while let next = pending.popLast() {
            if try removeIfFile(next) { continue }
            let folder = try openFolder(next)
            // Taking names away, and moving a folder away from here, take permission to write in it.
            try folder.setPermissions(0o700)
            var names: [String] = []
            try folder.forEachName { names.append($0) }
            for entry in names where try !folder.removeIfFile(entry) {
                try folder.openFolder(entry).setPermissions(0o700)
                repeat { moved += 1 } while try has("\(name)~\(moved)")
                try folder.rename(entry, to: self, "\(name)~\(moved)")
                pending.append("\(name)~\(moved)")
            }
            try removeFolder(next)
        }
    }

    /// False where it is a folder.
    private func removeIfFile(_ name: String) throws(Errno) -> Bool {
        do throws(Errno) {
            try removeFile(name)
            return true
        } catch {
            // POSIX says EPERM of a folder, Linux EISDIR.
            guard error == .isFolder || error == .notPermitted else { throw error }
            if try status(of: name).kind != .folder { throw error }
            return false
        }
    }
}

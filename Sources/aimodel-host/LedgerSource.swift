internal import HostSystem
internal import HostTelemetry

/// The ledger that a command looks at: opened to be read alone, asked, and let go.
struct LedgerSource {
    /// Where it should be.
    let path: String
    /// Whether `--database` named it.
    let isNamed: Bool

    static let help = """
          --database F  the ledger that serve writes (default: var/telemetry.sqlite below the root); it is only
                        read, while serve runs or not
        """

    init(_ arguments: Arguments) throws(UsageError) {
        let named = try arguments.one("database")
        if let named, named.isEmpty { throw UsageError("--database is empty") }
        // What `serve` is told so that it keeps none.
        if named == "none" { throw UsageError("--database none leaves nothing to read; leave it out, or name a file") }
        isNamed = named != nil
        let root = try arguments.root()
        path = named ?? LedgerSettings.defaultPath(root: root)
    }

    /// What `questions` find in the ledger.
    ///
    /// - Throws: `LedgerFailure`.
    func ask<Answer>(
        _ questions: (borrowing LedgerReader) throws(LedgerError) -> Answer
    ) throws(LedgerFailure) -> Answer {
        let status: FileStatus
        do throws(Errno) {
            status = try FileSystemPath.status(path)
        } catch {
            throw LedgerFailure(path: path, cause: error == .noEntry || error == .notFolder ? .absent : .system(error))
        }
        // Of a folder, SQLite would say that reading it failed.
        guard status.kind == .regular else { throw LedgerFailure(path: path, cause: .notAFile) }
        do throws(LedgerError) {
            let reader = try LedgerReader(path: path)
            return try questions(reader)
        } catch {
            throw LedgerFailure(path: path, cause: .ledger(error))
        }
    }
}

/// Why the ledger tells nothing.
struct LedgerFailure: Error, CustomStringConvertible {
    enum Cause {
        case absent
        case notAFile
        case system(Errno)
        case ledger(LedgerError)
    }

    let path: String
    let cause: Cause

    var isAbsent: Bool {
        if case .absent = cause { return true }
        return false
    }

    var description: String {
        switch cause {
        case .absent:
            "there is no ledger at \(path): serve makes it; name the store with --root, or the ledger with --database"
        case .notAFile: "cannot read the ledger \(path): it is no file"
        case .system(let error): "cannot read the ledger \(path): \(error)"
        // The advice that an error of SQLite's bears is for the server, which writes.
        case .ledger(.sqlite(let error)):
            "cannot read the ledger \(path): \(error)" + (advice(on: .sqlite(error)).map { "; \($0)" } ?? "")
        case .ledger(let error): "cannot read the ledger \(path): \(error)"
        }
    }

    private func advice(on error: LedgerError) -> String? {
        switch error.reason {
        case .locked: "another program keeps it to itself; end that, and try again"
        case .cannotOpen, .readOnly:
            "this user has to be able to read it, with its -wal and -shm, and to enter its folder"
        case .corrupt: "it is damaged: a running serve puts it aside and begins a new one"
        default: nil
        }
    }
}

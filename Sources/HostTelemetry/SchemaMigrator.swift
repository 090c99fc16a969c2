/// Brings a database to the newest schema, forward only.
enum SchemaMigrator {
    /// Runs the migrations that the file has not been through, all in one transaction.
    ///
    /// - Throws: `notALedger` for a database of somebody else's, `newerSchema` for one that a later version of this
    ///   program made; neither is touched.
    static func migrate(
        _ database: borrowing SQLiteDatabase,
        to migrations: [String] = Schema.migrations
    ) throws(LedgerError) {
        let version = try check(database, known: migrations.count)
        guard version < migrations.count else { return }
        try LedgerError.ofSQLite { () throws(SQLiteError) in
            try database.transaction { () throws(SQLiteError) in
                for migration in migrations[version...] { try database.execute(migration) }
                try database.execute("PRAGMA application_id = \(Schema.applicationID)")
                try database.execute("PRAGMA user_version = \(migrations.count)")
            }
        }
    }

    /// The schema's version of the file, 0 for an empty one; a file that is not ours to write throws.
    static func check(
        _ database: borrowing SQLiteDatabase,
        known: Int = Schema.migrations.count
    ) throws(LedgerError) -> Int {
        let (version, application, objects) = try LedgerError.ofSQLite { () throws(SQLiteError) in
            (
                Int(clamping: try database.integer("PRAGMA user_version") ?? 0),
                try database.integer("PRAGMA application_id") ?? 0,
                try database.integer("SELECT count(*) FROM sqlite_master") ?? 0
            )
        }
        if application == Schema.applicationID {
            guard version <= known else { throw .newerSchema(found: version, known: known) }
            return max(0, version)
        }
        guard application == 0, version == 0, objects == 0 else { throw .notALedger }
        return 0
    }
}

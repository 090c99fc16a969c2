/// The tables, as version 1 of the schema has them. Columns of the tables of the contract keep their names and meaning
/// within a major version of the server; tables named `internal_` are nobody's business.
enum Schema {
    /// `AIMH` in the file's header: file(1) and we ourselves can tell a ledger from any other database.
    static let applicationID: Int64 = 0x4149_4D48

    /// Migrations, oldest first: the file's `user_version` counts those that it has been through. One that was released
    /// is never changed; a change of the schema is one more. Each runs in the transaction that also counts it.
    static let migrations: [String] = [tables + views]

    // AUTOINCREMENT: an id never falls, though retention may empty a table. No STRICT and no generated columns, which
    // readers with an older SQLite could not open.
    private static let tables = """
        CREATE TABLE download (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            started_ms INTEGER NOT NULL, duration_ms INTEGER NOT NULL,
            model TEXT NOT NULL, version TEXT NOT NULL, asset TEXT, architecture TEXT, kind TEXT NOT NULL,
            path TEXT NOT NULL, requests INTEGER NOT NULL, status INTEGER NOT NULL,
            range_first INTEGER, range_last INTEGER, bytes_sent INTEGER NOT NULL, bytes_total INTEGER NOT NULL,
            completed INTEGER NOT NULL, resumed INTEGER NOT NULL,
            device TEXT, client INTEGER NOT NULL, user_agent TEXT, tls INTEGER NOT NULL
        );
        CREATE INDEX download_started ON download (started_ms);

        CREATE TABLE transfer (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            first_ms INTEGER NOT NULL, last_ms INTEGER NOT NULL,
            model TEXT NOT NULL, version TEXT NOT NULL, asset TEXT NOT NULL, architecture TEXT,
            device TEXT, client INTEGER NOT NULL, requests INTEGER NOT NULL, bytes_sent INTEGER NOT NULL,
            bytes_covered INTEGER NOT NULL, bytes_total INTEGER NOT NULL, completed_ms INTEGER
        );
        CREATE INDEX transfer_last ON transfer (last_ms);

        CREATE TABLE version_check (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            at_ms INTEGER NOT NULL, model TEXT NOT NULL, channel TEXT, installed_version TEXT, offered_version TEXT,
            architecture TEXT, platform TEXT, os_version TEXT, device TEXT, client INTEGER NOT NULL,
            outcome TEXT NOT NULL
        );
        CREATE INDEX version_check_at ON version_check (at_ms);

        CREATE TABLE variant_miss (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            at_ms INTEGER NOT NULL, model TEXT NOT NULL, version TEXT NOT NULL, base TEXT NOT NULL,
            architecture TEXT NOT NULL, platform TEXT, answered_with TEXT NOT NULL, device TEXT,
            client INTEGER NOT NULL
        );
        CREATE INDEX variant_miss_at ON variant_miss (at_ms);

        CREATE TABLE device_report (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            at_ms INTEGER NOT NULL, model TEXT NOT NULL, version TEXT NOT NULL, asset TEXT NOT NULL,
            architecture TEXT, outcome TEXT NOT NULL, error_domain TEXT, error_code INTEGER, os_build TEXT,
            cold_load_ms INTEGER, device TEXT, client INTEGER NOT NULL
        );
        CREATE INDEX device_report_at ON device_report (at_ms);

        -- asset and architecture are '' where there is none: NULLs would not be one key.
        CREATE TABLE daily (
            day TEXT NOT NULL, model TEXT NOT NULL, version TEXT NOT NULL, asset TEXT NOT NULL,
            architecture TEXT NOT NULL, downloads INTEGER NOT NULL, completed INTEGER NOT NULL,
            bytes_sent INTEGER NOT NULL, misses INTEGER NOT NULL, devices INTEGER NOT NULL,
            load_failures INTEGER NOT NULL,
            PRIMARY KEY (day, model, version, asset, architecture)
        ) WITHOUT ROWID;

        CREATE TABLE dropped (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            at_ms INTEGER NOT NULL, kind TEXT NOT NULL, reason TEXT NOT NULL, count INTEGER NOT NULL
        );
        CREATE INDEX dropped_at ON dropped (at_ms);

        -- What a transfer needs to go on after a restart: whose it is, and the octets it covered.
        CREATE TABLE internal_transfer (
            transfer INTEGER PRIMARY KEY, download_key BLOB, identity_key BLOB NOT NULL,
            tree_size INTEGER NOT NULL, tree BLOB NOT NULL, tree_cut BLOB NOT NULL, tree_doubt BLOB NOT NULL,
            archive_size INTEGER NOT NULL, archive BLOB NOT NULL, archive_cut BLOB NOT NULL,
            archive_doubt BLOB NOT NULL
        );
        CREATE INDEX internal_transfer_download ON internal_transfer (download_key) WHERE download_key IS NOT NULL;
        CREATE INDEX internal_transfer_unnamed ON internal_transfer (transfer) WHERE download_key IS NULL;
        CREATE INDEX internal_transfer_identity ON internal_transfer (identity_key);

        -- Who is in daily.devices already; kept for the day and the next.
        CREATE TABLE internal_daily_device (
            day INTEGER NOT NULL, identity_key BLOB NOT NULL, PRIMARY KEY (day, identity_key)
        ) WITHOUT ROWID;

        """
}

/// The time that the ledger knows of: who asks about another must be told so.
package struct LedgerSpan: Equatable, Sendable {
    /// Unix milliseconds of the first thing that is known, by the day where only the roll-up knows it; nil for a ledger
    /// that holds nothing.
    package let begin: Int64?
    /// The same of the last.
    package let end: Int64?
    /// Unix milliseconds at which the oldest transfer began that is kept as a row; nil where there is none. Of days
    /// before, only the roll-up tells.
    package let oldestTransfer: Int64?
}

extension LedgerReader {
    /// The time that the ledger knows of.
    package func span() throws(LedgerError) -> LedgerSpan {
        // Each of these is one end of an index, or of the key of `daily`; with both in one SELECT, SQLite would read it all.
        let found = try rows(
            """
            SELECT min(first), max(last), (SELECT first_ms FROM transfer ORDER BY last_ms LIMIT 1) FROM (
                SELECT (SELECT min(started_ms) FROM download) AS first, (SELECT max(started_ms) FROM download) AS last
                UNION ALL SELECT (SELECT min(last_ms) FROM transfer), (SELECT max(last_ms) FROM transfer)
                UNION ALL SELECT (SELECT min(at_ms) FROM version_check), (SELECT max(at_ms) FROM version_check)
                UNION ALL SELECT (SELECT min(at_ms) FROM variant_miss), (SELECT max(at_ms) FROM variant_miss)
                UNION ALL SELECT (SELECT min(at_ms) FROM device_report), (SELECT max(at_ms) FROM device_report)
                UNION ALL SELECT (SELECT min(at_ms) FROM dropped), (SELECT max(at_ms) FROM dropped)
                UNION ALL SELECT
                    (SELECT 1000 * CAST(strftime('%s', min(day)) AS INTEGER) FROM daily),
                    (SELECT 1000 * CAST(strftime('%s', max(day)) AS INTEGER) FROM daily)
            )
            """
        ) { row in
            LedgerSpan(
                begin: row.optionalInteger(0),
                end: row.optionalInteger(1),
                oldestTransfer: row.optionalInteger(2)
            )
        }
        return found.first ?? LedgerSpan(begin: nil, end: nil, oldestTransfer: nil)
    }
}

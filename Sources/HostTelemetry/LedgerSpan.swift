/// How far back the ledger reaches: who asks about a longer time must know that it had not begun then.
package struct LedgerSpan: Equatable, Sendable {
    /// Unix milliseconds of the first thing that is known, by the day where only the roll-up knows it; nil for a ledger
    /// that holds nothing.
    package let begin: Int64?
    /// Unix milliseconds at which the oldest transfer began that is kept as a row; nil where there is none. Of days
    /// before, only the roll-up tells.
    package let oldestTransfer: Int64?
}

extension LedgerReader {
    /// How far back the ledger reaches.
    package func span() throws(LedgerError) -> LedgerSpan {
        // Each of these is the first entry of an index, or of the key of `daily`.
        let found = try rows(
            """
            SELECT min(at), (SELECT first_ms FROM transfer ORDER BY last_ms LIMIT 1) FROM (
                SELECT min(started_ms) AS at FROM download
                UNION ALL SELECT min(last_ms) FROM transfer
                UNION ALL SELECT min(at_ms) FROM version_check
                UNION ALL SELECT min(at_ms) FROM variant_miss
                UNION ALL SELECT min(at_ms) FROM device_report
                UNION ALL SELECT min(at_ms) FROM dropped
                UNION ALL SELECT 1000 * CAST(strftime('%s', min(day)) AS INTEGER) FROM daily
            )
            """
        ) { row in
            LedgerSpan(begin: row.optionalInteger(0), oldestTransfer: row.optionalInteger(1))
        }
        return found.first ?? LedgerSpan(begin: nil, oldestTransfer: nil)
    }
}

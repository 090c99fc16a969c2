/// A day's downloads of one asset; from `daily`, so for days whose rows are gone too.
package struct DownloadsOfDay: Equatable, Sendable {
    /// `2026-12-01`, UTC.
    package let day: String
    package let model: String
    package let version: String
    /// nil for companions.
    package let asset: String?
    package let architecture: String?
    /// Transfers begun.
    package let downloads: Int64
    /// Transfers completed.
    package let completed: Int64
    package let bytesSent: Int64
    /// Devices, or clients where the device is not known.
    package let devices: Int64
}

/// How the downloads of a version ended that began within the scope.
package struct CompletionRate: Equatable, Sendable {
    package let model: String
    package let version: String
    package let transfers: Int64
    package let completed: Int64
    package let bytesSent: Int64
    /// Each octet once.
    package let bytesCovered: Int64
}

/// How often answers with content were cut, and how many went on where one was cut.
package struct ResumeRate: Equatable, Sendable {
    package let model: String
    package let version: String
    package let requests: Int64
    package let cut: Int64
    package let resumed: Int64
}

/// Octets sent in an hour.
package struct BandwidthOfHour: Equatable, Sendable {
    /// Unix milliseconds of the hour's start.
    package let hour: Int64
    package let model: String
    package let requests: Int64
    package let bytesSent: Int64
}

/// A download that has not gone on for a while.
package struct StuckDownload: Equatable, Sendable {
    package let model: String
    package let version: String
    package let asset: String
    package let architecture: String?
    package let device: String?
    package let client: Int64
    /// Unix milliseconds.
    package let first: Int64
    package let last: Int64
    package let requests: Int64
    package let bytesCovered: Int64
    package let bytesTotal: Int64
}

/// What was lost.
package struct DroppedRecords: Equatable, Sendable {
    package let kind: String
    package let reason: String
    package let count: Int64
    /// Unix milliseconds of the last loss.
    package let last: Int64
}

extension LedgerReader {
    /// Newest day first.
    package func downloadsByDay(_ scope: LedgerScope) throws(LedgerError) -> [DownloadsOfDay] {
        try rows(
            """
            SELECT day, model, version, asset, architecture, downloads, completed, bytes_sent, devices
            FROM v_downloads_by_day
            WHERE (?1 IS NULL OR model = ?1) AND day >= strftime('%Y-%m-%d', ?2 / 1000, 'unixepoch')
            ORDER BY day DESC, downloads DESC, model, version, asset LIMIT ?3
            """,
            bind: scope.bind
        ) { row in
            DownloadsOfDay(
                day: row.text(0),
                model: row.text(1),
                version: row.text(2),
                asset: row.optionalText(3),
                architecture: row.optionalText(4),
                downloads: row.integer(5),
                completed: row.integer(6),
                bytesSent: row.integer(7),
                devices: row.integer(8)
            )
        }
    }

    /// Most transfers first.
    package func completionRates(_ scope: LedgerScope) throws(LedgerError) -> [CompletionRate] {
        try rows(
            """
            SELECT model, version, count(*) AS transfers, count(completed_ms), sum(bytes_sent), sum(bytes_covered)
            FROM transfer
            WHERE (?1 IS NULL OR model = ?1) AND last_ms >= ?2 AND first_ms >= ?2
            GROUP BY model, version ORDER BY transfers DESC, model, version LIMIT ?3
            """,
            bind: scope.bind
        ) { row in
            CompletionRate(
                model: row.text(0),
                version: row.text(1),
                transfers: row.integer(2),
                completed: row.integer(3),
                bytesSent: row.integer(4),
                bytesCovered: row.integer(5)
            )
        }
    }

    /// Most requests first.
    package func resumeRates(_ scope: LedgerScope) throws(LedgerError) -> [ResumeRate] {
        try rows(
            """
            SELECT model, version, sum(requests) AS asked, sum(requests - completed), sum(resumed) FROM download
            WHERE (?1 IS NULL OR model = ?1) AND started_ms >= ?2 AND status IN (200, 206)
            GROUP BY model, version ORDER BY asked DESC, model, version LIMIT ?3
            """,
            bind: scope.bind
        ) { row in
            ResumeRate(
                model: row.text(0),
                version: row.text(1),
                requests: row.integer(2),
                cut: row.integer(3),
                resumed: row.integer(4)
            )
        }
    }

    /// Newest hour first.
    package func bandwidthByHour(_ scope: LedgerScope) throws(LedgerError) -> [BandwidthOfHour] {
        try rows(
            """
            SELECT started_ms / 3600000 * 3600000 AS hour, model, sum(requests), sum(bytes_sent) FROM download
            WHERE (?1 IS NULL OR model = ?1) AND started_ms >= ?2
            GROUP BY hour, model ORDER BY hour DESC, model LIMIT ?3
            """,
            bind: scope.bind
        ) { row in
            BandwidthOfHour(
                hour: row.integer(0),
                model: row.text(1),
                requests: row.integer(2),
                bytesSent: row.integer(3)
            )
        }
    }

    /// Downloads within the scope that are not complete and whose last request is older than `idleSince` (Unix
    /// milliseconds); the latest first.
    package func stuckDownloads(_ scope: LedgerScope, idleSince: Int64) throws(LedgerError) -> [StuckDownload] {
        try rows(
            """
            SELECT model, version, asset, architecture, device, client, first_ms, last_ms, requests, bytes_covered,
                bytes_total
            FROM transfer
            WHERE completed_ms IS NULL AND (?1 IS NULL OR model = ?1) AND last_ms >= ?2 AND last_ms < ?4
            ORDER BY last_ms DESC, id DESC LIMIT ?3
            """,
            bind: { statement throws(SQLiteError) in
                try scope.bind(statement)
                try statement.bind(4, idleSince)
            }
        ) { row in
            StuckDownload(
                model: row.text(0),
                version: row.text(1),
                asset: row.text(2),
                architecture: row.optionalText(3),
                device: row.optionalText(4),
                client: row.integer(5),
                first: row.integer(6),
                last: row.integer(7),
                requests: row.integer(8),
                bytesCovered: row.integer(9),
                bytesTotal: row.integer(10)
            )
        }
    }

    /// Most first. The model does not count here.
    package func dropped(_ scope: LedgerScope) throws(LedgerError) -> [DroppedRecords] {
        try rows(
            """
            SELECT kind, reason, sum(count) AS lost, max(at_ms) FROM dropped
            WHERE at_ms >= ?2 AND ?1 IS ?1
            GROUP BY kind, reason ORDER BY lost DESC, kind, reason LIMIT ?3
            """,
            bind: scope.bind
        ) { row in
            DroppedRecords(kind: row.text(0), reason: row.text(1), count: row.integer(2), last: row.integer(3))
        }
    }
}

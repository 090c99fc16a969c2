/// Devices that had a version on a day: they said so, completed its download, or loaded it.
package struct AdoptionOfDay: Equatable, Sendable {
    /// `2026-12-01`, UTC.
    package let day: String
    package let model: String
    package let version: String
    package let devices: Int64
}

/// Devices by the version that each was last known to have.
package struct Adoption: Equatable, Sendable {
    package let model: String
    package let version: String
    /// nil where no device said.
    package let architecture: String?
    package let devices: Int64
    /// Unix milliseconds when one was last heard of.
    package let last: Int64
}

/// An architecture that devices asked for and the build does not hold.
package struct MissingVariant: Equatable, Sendable {
    package let model: String
    package let version: String
    package let base: String
    package let architecture: String
    /// How often it was asked for.
    package let asked: Int64
    /// By how many devices, or clients where the device is not known.
    package let devices: Int64
    /// How often the portable form was given instead.
    package let answeredPortable: Int64
    /// Unix milliseconds.
    package let first: Int64
    package let last: Int64
}

/// What devices reported of one variant.
package struct VariantHealth: Equatable, Sendable {
    package let model: String
    package let version: String
    package let asset: String
    package let architecture: String?
    package let reports: Int64
    package let devices: Int64
    package let loaded: Int64
    package let loadFailed: Int64
    package let specializationFailed: Int64
    package let corrupt: Int64
    package let fallbackUsed: Int64
    package let removed: Int64
    /// Milliseconds, over the reports of `loaded` that gave it.
    package let coldLoadAverage: Double?
}

/// A version that was asked for.
package struct VersionAsked: Equatable, Sendable {
    package let model: String
    package let version: String
    package let requests: Int64
    /// Unix milliseconds of the last request.
    package let last: Int64
}

extension LedgerReader {
    /// Newest day first; the day of `since` counts whole. What `v_version_adoption` says, by the indices of the tables: the
    /// view would look at every row there is.
    package func adoptionByDay(_ scope: LedgerScope) throws(LedgerError) -> [AdoptionOfDay] {
        var scope = scope
        scope.since -= scope.since % UTCDay.milliseconds
        return try rows(
            """
            SELECT strftime('%Y-%m-%d', at / 1000, 'unixepoch') AS day, model, version, count(DISTINCT who) AS devices
            FROM (
                SELECT at_ms AS at, model, installed_version AS version, coalesce(device, client) AS who
                FROM version_check
                WHERE installed_version IS NOT NULL AND at_ms >= ?2 AND (?1 IS NULL OR model = ?1)
                UNION ALL
                SELECT completed_ms, model, version, coalesce(device, client)
                FROM transfer
                WHERE completed_ms >= ?2 AND last_ms >= ?2 AND (?1 IS NULL OR model = ?1)
                UNION ALL
                SELECT at_ms, model, version, coalesce(device, client)
                FROM device_report
                WHERE outcome = 'loaded' AND at_ms >= ?2 AND (?1 IS NULL OR model = ?1)
            )
            GROUP BY day, model, version
            ORDER BY day DESC, devices DESC, model, version LIMIT ?3
            """,
            bind: scope.bind
        ) { row in
            AdoptionOfDay(day: row.text(0), model: row.text(1), version: row.text(2), devices: row.integer(3))
        }
    }

    /// Most devices first. Of each device its last word within the scope counts.
    package func adoption(_ scope: LedgerScope) throws(LedgerError) -> [Adoption] {
        // SQLite takes the other columns from the row that has the maximum: lang_select.html#bareagg.
        try rows(
            """
            SELECT model, version, architecture, count(*) AS devices, max(seen) FROM (
                SELECT model, version, architecture, max(at_ms) AS seen FROM (
                    SELECT model, installed_version AS version, architecture, coalesce(device, client) AS who, at_ms
                    FROM version_check
                    WHERE installed_version IS NOT NULL AND at_ms >= ?2 AND (?1 IS NULL OR model = ?1)
                    UNION ALL
                    SELECT model, version, architecture, coalesce(device, client), completed_ms
                    FROM transfer
                    WHERE completed_ms IS NOT NULL AND last_ms >= ?2 AND (?1 IS NULL OR model = ?1)
                    UNION ALL
                    SELECT model, version, architecture, coalesce(device, client), at_ms
                    FROM device_report
                    WHERE outcome = 'loaded' AND at_ms >= ?2 AND (?1 IS NULL OR model = ?1)
                )
                GROUP BY model, who
            )
            GROUP BY model, version, architecture
            ORDER BY devices DESC, model, version, architecture LIMIT ?3
            """,
            bind: scope.bind
        ) { row in
            Adoption(
                model: row.text(0),
                version: row.text(1),
                architecture: row.optionalText(2),
                devices: row.integer(3),
                last: row.integer(4)
            )
        }
    }

    /// Most asked first.
    package func missingVariants(_ scope: LedgerScope) throws(LedgerError) -> [MissingVariant] {
        try rows(
            """
            SELECT model, version, base, architecture, count(*) AS asked, count(DISTINCT coalesce(device, client)),
                sum(answered_with = 'portable'), min(at_ms), max(at_ms)
            FROM variant_miss
            WHERE (?1 IS NULL OR model = ?1) AND at_ms >= ?2
            GROUP BY model, version, base, architecture
            ORDER BY asked DESC, model, version, base, architecture LIMIT ?3
            """,
            bind: scope.bind
        ) { row in
            MissingVariant(
                model: row.text(0),
                version: row.text(1),
                base: row.text(2),
                architecture: row.text(3),
                asked: row.integer(4),
                devices: row.integer(5),
                answeredPortable: row.integer(6),
                first: row.integer(7),
                last: row.integer(8)
            )
        }
    }

    /// Most failures first.
    package func variantHealth(_ scope: LedgerScope) throws(LedgerError) -> [VariantHealth] {
        try rows(
            """
            SELECT model, version, asset, architecture, count(*), count(DISTINCT coalesce(device, client)),
                sum(outcome = 'loaded'), sum(outcome = 'load-failed'), sum(outcome = 'specialization-failed'),
                sum(outcome = 'corrupt'), sum(outcome = 'fallback-used'), sum(outcome = 'removed'),
                avg(CASE WHEN outcome = 'loaded' THEN cold_load_ms END),
                sum(outcome IN ('load-failed', 'specialization-failed', 'corrupt')) AS failures
            FROM device_report
            WHERE (?1 IS NULL OR model = ?1) AND at_ms >= ?2
            GROUP BY model, version, asset, architecture
            ORDER BY failures DESC, model, version, asset, architecture LIMIT ?3
            """,
            bind: scope.bind
        ) { row in
            VariantHealth(
                model: row.text(0),
                version: row.text(1),
                asset: row.text(2),
                architecture: row.optionalText(3),
                reports: row.integer(4),
                devices: row.integer(5),
                loaded: row.integer(6),
                loadFailed: row.integer(7),
                specializationFailed: row.integer(8),
                corrupt: row.integer(9),
                fallbackUsed: row.integer(10),
                removed: row.integer(11),
                coldLoadAverage: row.optionalDouble(12)
            )
        }
    }

    /// Versions that devices asked for within the scope: their files, their manifests, or a resolution that named
    /// them. `daily` counts for rows that made room for others. Most asked first.
    ///
    /// An answer that was lost is in none of these: who removes what nobody asks for looks at `dropped` too.
    package func versionsAsked(_ scope: LedgerScope) throws(LedgerError) -> [VersionAsked] {
        try rows(
            """
            SELECT model, version, sum(asked) AS asked, max(last) FROM (
                SELECT model, version, sum(requests) AS asked, max(started_ms) AS last FROM download
                WHERE started_ms >= ?2 AND (?1 IS NULL OR model = ?1) GROUP BY model, version
                UNION ALL
                SELECT model, offered_version, count(*), max(at_ms) FROM version_check
                WHERE offered_version IS NOT NULL AND at_ms >= ?2 AND (?1 IS NULL OR model = ?1)
                GROUP BY model, offered_version
                UNION ALL
                SELECT model, version, 0, max(last_ms) FROM transfer
                WHERE last_ms >= ?2 AND (?1 IS NULL OR model = ?1) GROUP BY model, version
                UNION ALL
                SELECT model, version, 0, 1000 * CAST(strftime('%s', max(day)) AS INTEGER) FROM daily
                WHERE day >= strftime('%Y-%m-%d', ?2 / 1000, 'unixepoch') AND (?1 IS NULL OR model = ?1)
                    AND (downloads > 0 OR bytes_sent > 0)
                GROUP BY model, version
            )
            GROUP BY model, version ORDER BY asked DESC, model, version LIMIT ?3
            """,
            bind: scope.bind
        ) { row in
            VersionAsked(model: row.text(0), version: row.text(1), requests: row.integer(2), last: row.integer(3))
        }
    }
}

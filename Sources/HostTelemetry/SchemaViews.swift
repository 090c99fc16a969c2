extension Schema {
    /// The views that dashboards use as they are. `who` tells devices apart: the device's own id, or the client's
    /// number of the day where it sent none.
    static let views = """
        CREATE VIEW v_downloads_by_day AS
            SELECT day, model, version, nullif(asset, '') AS asset, nullif(architecture, '') AS architecture,
                downloads, completed, bytes_sent, devices
            FROM daily
            WHERE downloads > 0 OR completed > 0 OR bytes_sent > 0;

        CREATE VIEW v_version_adoption AS
            SELECT day, model, version, count(DISTINCT who) AS devices FROM (
                SELECT strftime('%Y-%m-%d', at_ms / 1000, 'unixepoch') AS day, model,
                    installed_version AS version, coalesce(device, client) AS who
                FROM version_check WHERE installed_version IS NOT NULL
                UNION ALL
                SELECT strftime('%Y-%m-%d', completed_ms / 1000, 'unixepoch'), model, version,
                    coalesce(device, client)
                FROM transfer WHERE completed_ms IS NOT NULL
                UNION ALL
                SELECT strftime('%Y-%m-%d', at_ms / 1000, 'unixepoch'), model, version, coalesce(device, client)
                FROM device_report WHERE outcome = 'loaded'
            )
            GROUP BY day, model, version;

        CREATE VIEW v_missing_variants AS
            SELECT model, version, base, architecture, count(*) AS asked,
                count(DISTINCT coalesce(device, client)) AS devices,
                sum(answered_with = 'portable') AS answered_portable,
                min(at_ms) AS first_ms, max(at_ms) AS last_ms
            FROM variant_miss
            GROUP BY model, version, base, architecture;

        CREATE VIEW v_variant_health AS
            SELECT model, version, asset, architecture, count(*) AS reports,
                count(DISTINCT coalesce(device, client)) AS devices,
                sum(outcome = 'loaded') AS loaded,
                sum(outcome = 'load-failed') AS load_failed,
                sum(outcome = 'specialization-failed') AS specialization_failed,
                sum(outcome = 'corrupt') AS corrupt,
                sum(outcome = 'fallback-used') AS fallback_used,
                sum(outcome = 'removed') AS removed,
                1.0 * sum(outcome IN ('load-failed', 'specialization-failed', 'corrupt'))
                    / nullif(sum(outcome IN ('loaded', 'load-failed', 'specialization-failed', 'corrupt')), 0)
                    AS failure_rate,
                avg(CASE WHEN outcome = 'loaded' THEN cold_load_ms END) AS cold_load_ms_average,
                max(CASE WHEN outcome = 'loaded' THEN cold_load_ms END) AS cold_load_ms_greatest
            FROM device_report
            GROUP BY model, version, asset, architecture;

        CREATE VIEW v_bandwidth_by_hour AS
            SELECT started_ms / 3600000 * 3600000 AS hour_ms,
                strftime('%Y-%m-%dT%H:00:00Z', started_ms / 1000, 'unixepoch') AS hour, model,
                sum(requests) AS requests, sum(bytes_sent) AS bytes_sent
            FROM download
            GROUP BY hour_ms, model;

        -- An answer was cut if it carried content and not all of it arrived.
        CREATE VIEW v_resume_rate AS
            SELECT strftime('%Y-%m-%d', started_ms / 1000, 'unixepoch') AS day, model, version,
                sum(requests) AS requests, sum(requests - completed) AS cut, sum(resumed) AS resumed,
                1.0 * sum(resumed) / nullif(sum(requests - completed), 0) AS resume_rate
            FROM download
            WHERE status IN (200, 206)
            GROUP BY day, model, version;

        CREATE VIEW v_stuck_downloads AS
            SELECT id, model, version, asset, architecture, device, client, first_ms, last_ms, requests,
                bytes_sent, bytes_covered, bytes_total,
                CAST(strftime('%s', 'now') AS INTEGER) * 1000 - last_ms AS idle_ms
            FROM transfer
            WHERE completed_ms IS NULL
                AND last_ms < (CAST(strftime('%s', 'now') AS INTEGER) - 3600) * 1000;

        """
}

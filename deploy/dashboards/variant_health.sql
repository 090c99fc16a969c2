-- What devices reported of each variant within the last day, in the text format that node_exporter's textfile collector
-- reads: README.md beside this file tells how. At most 200 variants, those with most failures first.
.mode list
.headers off
WITH variant AS (
    SELECT
        'model="' || replace(replace(model, '\', '\\'), '"', '\"')
            || '",version="' || replace(replace(version, '\', '\\'), '"', '\"')
            || '",asset="' || replace(replace(asset, '\', '\\'), '"', '\"')
            || '",architecture="' || replace(replace(coalesce(architecture, ''), '\', '\\'), '"', '\"') || '"' AS labels,
        sum(outcome = 'loaded') AS loaded,
        sum(outcome IN ('load-failed', 'specialization-failed', 'corrupt')) AS failed
    FROM device_report
    WHERE at_ms >= (strftime('%s', 'now') - 86400) * 1000
    GROUP BY model, version, asset, architecture
    ORDER BY failed DESC, loaded DESC
    LIMIT 200
)
SELECT '# HELP aimodel_host_variant_reports Reports of devices on a variant within the last day, by outcome.'
UNION ALL SELECT '# TYPE aimodel_host_variant_reports gauge'
UNION ALL SELECT 'aimodel_host_variant_reports{' || labels || ',outcome="loaded"} ' || loaded FROM variant
UNION ALL SELECT 'aimodel_host_variant_reports{' || labels || ',outcome="failed"} ' || failed FROM variant;

-- Operators of a printed table: name, calls, self time in s on the device, or else on the CPU, what shares are of in s, and
-- in words. The table is that with the most rows, if one is, of those that are not grouped by shapes or stacks; rows of one
-- operator are added. Other tables with its totals are of the same profile, sorted otherwise, and add the operators that it
-- leaves out. Shares are of the printed total, or of that which the printed share of the largest row gives. What takes
-- longer than that is a range that contains operators, and so is the row that an annotation has on the device beside its row
-- on the CPU.
WITH main AS (
    SELECT * FROM report ORDER BY by <> '', last - first DESC, id LIMIT 1
), listed AS (
    SELECT o.* FROM main m JOIN printed_operator o ON o.id BETWEEN m.first AND m.last
), added AS (
    SELECT min(o.id) AS id FROM main m
    JOIN report r ON r.id <> m.id AND r.by = m.by AND (r.seconds, r.device_seconds, r.stage) IS (m.seconds, m.device_seconds, m.stage)
    JOIN printed_operator o ON o.id BETWEEN r.first AND r.last
    WHERE coalesce(m.seconds, m.device_seconds) > 0 AND o.name NOT IN (SELECT name FROM listed)
    GROUP BY o.name
), shown AS (
    SELECT o.*, total(o.self_device_ns) OVER () > 0 AS on_device
    FROM (SELECT * FROM listed UNION ALL SELECT p.* FROM added a JOIN printed_operator p ON p.id = a.id) o
), timed AS (
    SELECT min(id) AS id, name, total(calls) AS calls, on_device, total(iif(on_device, self_device_ns, self_cpu_ns)) / 1e9 AS seconds
    FROM shown s
    WHERE NOT (on_device AND cpu_total_ns = 0
        AND (name LIKE 'ProfilerStep%' OR EXISTS (SELECT 1 FROM listed l WHERE l.name = s.name AND l.cpu_total_ns > 0)))
    GROUP BY name
), given AS (
    SELECT 1e-7 * ns / pct AS seconds
    FROM (SELECT iif(on_device, self_device_ns, self_cpu_ns) AS ns, iif(on_device, self_device_pct, self_cpu_pct) AS pct FROM shown)
    WHERE pct >= 1 ORDER BY pct DESC LIMIT 1
), whole AS (
    SELECT coalesce(nullif((SELECT iif(max(t.on_device), m.device_seconds, m.seconds) FROM timed t), 0), (SELECT seconds FROM given)) AS printed, (SELECT total(max(seconds, 0)) FROM timed) AS summed FROM main m
)
SELECT t.name, t.calls, t.seconds, coalesce(nullif(w.printed, 0), w.summed),
       iif(t.on_device, 'of the device time', 'of the self CPU time')
FROM timed t, whole w
WHERE t.seconds > 0 AND t.seconds <= 1.001 * coalesce(nullif(w.printed, 0), w.summed) ORDER BY t.seconds DESC, t.id;

-- Durations by name, with the columns of `nsys stats` (server/query/trace/statistics/stats_rows.c). Copies are grouped
-- by direction; the category of a range is nvtx:DOMAIN. Header keys: see imports.sql.
--
-- column: id number, name string, name_id number, kind number: of the range, call or kernel
-- column: time_pct number?: percent of the total of the report
-- column: total_ns number, calls number, avg_ns number, med_ns number, min_ns number, max_ns number, stddev_ns number: statistics of the durations
-- column: style string?, domain string?: of ranges: PushPop or StartEnd, and the NVTX domain; null for the default domain
-- column: first_ns number: start of the first
-- sort: total_ns desc total_ns
-- sort: time_pct desc total_ns
-- sort: calls desc calls
-- sort: avg_ns desc avg_ns
-- sort: med_ns desc med_ns
-- sort: min_ns asc min_ns
-- sort: max_ns desc max_ns
-- sort: stddev_ns desc stddev_ns
-- sort: style asc style, name
-- sort: domain asc domain, name
-- sort: name asc name
-- sum: time_pct sum(time_pct)
-- sum: total_ns sum(total_ns)
-- sum: calls sum(calls)
-- of: SELECT count(*) FROM ps_temp_summary
-- rows: cached
SELECT * FROM (
    SELECT l.rowid AS id, CASE WHEN l.kind IN (7, 8) AND instr(n.text, ' (') THEN substr(n.text, 1, instr(n.text, ' (') - 1) ELSE coalesce(n.text, '') END AS name,
           l.name AS name_id, l.kind, 100.0 * l.total / nullif((SELECT total(total) FROM ps_temp_summary), 0) AS time_pct, -- of all rows of the report
           l.total AS total_ns, l.calls, 1.0 * l.total / l.calls AS avg_ns, l.median AS med_ns, l.min AS min_ns, l.max AS max_ns,
           l.stddev AS stddev_ns, CASE WHEN l.kind = 12 THEN iif(l.style, 'StartEnd', 'PushPop') END AS style,
           CASE WHEN instr(c.text, ':') THEN substr(c.text, instr(c.text, ':') + 1) END AS domain, l.first_ns
    FROM ps_temp_summary l LEFT JOIN text n ON n.id = l.name LEFT JOIN text c ON c.id = l.category)
WHERE (:q IS NULL OR ps_words(:q, name))
  AND (:regex IS NULL OR name REGEXP :regex)
  AND (:hide IS NULL OR NOT name REGEXP :hide)

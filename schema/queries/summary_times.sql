-- Durations by name, with the columns of `nsys stats` (server/query/trace/stats_rows.c lends c0 name c1 kind c2 style c3 calls c4 total
-- c5 median c6 min c7 max c8 standard deviation c9 first start c12 category, of ranges nvtx:DOMAIN). Copies go by their direction.
-- For the head's words see imports.sql.
--
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
-- of: SELECT count(*) FROM ps_temp_rows
-- rows: kept
SELECT * FROM (
    SELECT l.rowid AS id, CASE WHEN l.c1 IN (7, 8) AND instr(n.text, ' (') THEN substr(n.text, 1, instr(n.text, ' (') - 1) ELSE coalesce(n.text, '') END AS name,
           l.c0 AS name_id, l.c1 AS kind, 100.0 * l.c4 / nullif((SELECT total(c4) FROM ps_temp_rows), 0) AS time_pct, -- of all in the report
           l.c4 AS total_ns, l.c3 AS calls, 1.0 * l.c4 / l.c3 AS avg_ns, l.c5 AS med_ns, l.c6 AS min_ns, l.c7 AS max_ns,
           l.c8 AS stddev_ns, CASE WHEN l.c1 = 12 THEN iif(l.c2, 'StartEnd', 'PushPop') END AS style,
           CASE WHEN instr(c.text, ':') THEN substr(c.text, instr(c.text, ':') + 1) END AS domain, l.c9 AS first_ns
    FROM ps_temp_rows l LEFT JOIN text n ON n.id = l.c0 LEFT JOIN text c ON c.id = l.c12)
WHERE (:q IS NULL OR ps_words(:q, name))
  AND (:regex IS NULL OR name REGEXP :regex)
  AND (:hide IS NULL OR NOT name REGEXP :hide)

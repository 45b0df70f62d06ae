-- What copies and sets moved, by operation, with the columns of `nsys stats` (lent as for summary_times.sql, in bytes). Those whose size
-- the trace does not tell are not among them. For the head's words see imports.sql.
--
-- sort: total_bytes desc total_bytes
-- sort: calls desc calls
-- sort: avg_bytes desc avg_bytes
-- sort: med_bytes desc med_bytes
-- sort: min_bytes asc min_bytes
-- sort: max_bytes desc max_bytes
-- sort: stddev_bytes desc stddev_bytes
-- sort: name asc name
-- sum: total_bytes sum(total_bytes)
-- sum: calls sum(calls)
-- of: SELECT count(*) FROM ps_temp_rows
-- rows: kept
SELECT * FROM (
    SELECT l.rowid AS id, CASE WHEN l.c1 IN (7, 8) AND instr(n.text, ' (') THEN substr(n.text, 1, instr(n.text, ' (') - 1) ELSE coalesce(n.text, '') END AS name,
           l.c0 AS name_id, l.c1 AS kind, l.c4 AS total_bytes, l.c3 AS calls, 1.0 * l.c4 / l.c3 AS avg_bytes, l.c5 AS med_bytes,
           l.c6 AS min_bytes, l.c7 AS max_bytes, l.c8 AS stddev_bytes, l.c9 AS first_ns
    FROM ps_temp_rows l LEFT JOIN text n ON n.id = l.c0)
WHERE (:q IS NULL OR ps_words(:q, name))
  AND (:regex IS NULL OR name REGEXP :regex)
  AND (:hide IS NULL OR NOT name REGEXP :hide)

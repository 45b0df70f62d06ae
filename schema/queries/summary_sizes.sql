-- Bytes moved by copies and sets, by operation, with the columns of `nsys stats` (as in summary_times.sql).
-- Leaves out copies and sets without a size in the trace. Header keys: see imports.sql.
--
-- column: id number, name string, name_id number, kind number: of the operation
-- column: total_bytes number, calls number, avg_bytes number, med_bytes number, min_bytes number, max_bytes number, stddev_bytes number: statistics of the sizes
-- column: first_ns number: start of the first
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
-- of: SELECT count(*) FROM ps_temp_summary
-- rows: cached
SELECT * FROM (
    SELECT l.rowid AS id, CASE WHEN l.kind IN (7, 8) AND instr(n.text, ' (') THEN substr(n.text, 1, instr(n.text, ' (') - 1) ELSE coalesce(n.text, '') END AS name,
           l.name AS name_id, l.kind, l.total AS total_bytes, l.calls, 1.0 * l.total / l.calls AS avg_bytes, l.median AS med_bytes,
           l.min AS min_bytes, l.max AS max_bytes, l.stddev AS stddev_bytes, l.first_ns
    FROM ps_temp_summary l LEFT JOIN text n ON n.id = l.name)
WHERE (:q IS NULL OR ps_words(:q, name))
  AND (:regex IS NULL OR name REGEXP :regex)
  AND (:hide IS NULL OR NOT name REGEXP :hide)

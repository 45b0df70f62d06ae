-- Ranges of the host projected onto the devices, by name, with the columns of `nsys stats` (as in
-- summary_times.sql). total, median, min, max and stddev are of the projected ranges; range_ns is of the
-- ranges on the host. Header keys: see imports.sql.
--
-- column: id number, name string, name_id number, kind number, domain string?: of the range; `domain` is null for the default one
-- column: proj_total_ns number, proj_avg_ns number, proj_med_ns number, proj_min_ns number, proj_max_ns number, proj_stddev_ns number: statistics of the projections
-- column: range_total_ns number, calls number: total of the ranges on the host, and their number
-- column: works number, avg_works number: kernels, copies and sets inside, in total and per range
-- column: first_ns number: start of the first
-- sort: proj_total_ns desc proj_total_ns
-- sort: range_total_ns desc range_total_ns
-- sort: calls desc calls
-- sort: proj_avg_ns desc proj_avg_ns
-- sort: proj_med_ns desc proj_med_ns
-- sort: proj_min_ns asc proj_min_ns
-- sort: proj_max_ns desc proj_max_ns
-- sort: proj_stddev_ns desc proj_stddev_ns
-- sort: works desc works
-- sort: avg_works desc avg_works
-- sort: domain asc domain, name
-- sort: name asc name
-- sum: calls sum(calls)
-- sum: works sum(works)
-- of: SELECT count(*) FROM ps_temp_summary
-- rows: cached
SELECT * FROM (
    SELECT l.rowid AS id, coalesce(n.text, '') AS name, l.name AS name_id, l.kind, l.total AS proj_total_ns, l.range_ns AS range_total_ns,
           l.calls, 1.0 * l.total / l.calls AS proj_avg_ns, l.median AS proj_med_ns, l.min AS proj_min_ns, l.max AS proj_max_ns,
           l.stddev AS proj_stddev_ns, l.works, 1.0 * l.works / l.calls AS avg_works,
           CASE WHEN instr(c.text, ':') THEN substr(c.text, instr(c.text, ':') + 1) END AS domain, l.first_ns
    FROM ps_temp_summary l LEFT JOIN text n ON n.id = l.name LEFT JOIN text c ON c.id = l.category)
WHERE (:q IS NULL OR ps_words(:q, name))
  AND (:regex IS NULL OR name REGEXP :regex)
  AND (:hide IS NULL OR NOT name REGEXP :hide)

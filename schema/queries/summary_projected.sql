-- Ranges of the host as devices saw them, by name, with the columns of `nsys stats` (lent as for summary_times.sql; the values are the
-- lengths of the projected ranges, c10 ns of the ranges themselves c11 works). For the head's words see imports.sql.
--
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
-- of: SELECT count(*) FROM ps_temp_rows
-- rows: kept
SELECT * FROM (
    SELECT l.rowid AS id, coalesce(n.text, '') AS name, l.c0 AS name_id, l.c1 AS kind, l.c4 AS proj_total_ns, l.c10 AS range_total_ns,
           l.c3 AS calls, 1.0 * l.c4 / l.c3 AS proj_avg_ns, l.c5 AS proj_med_ns, l.c6 AS proj_min_ns, l.c7 AS proj_max_ns,
           l.c8 AS proj_stddev_ns, l.c11 AS works, 1.0 * l.c11 / l.c3 AS avg_works,
           CASE WHEN instr(c.text, ':') THEN substr(c.text, instr(c.text, ':') + 1) END AS domain, l.c9 AS first_ns
    FROM ps_temp_rows l LEFT JOIN text n ON n.id = l.c0 LEFT JOIN text c ON c.id = l.c12)
WHERE (:q IS NULL OR ps_words(:q, name))
  AND (:regex IS NULL OR name REGEXP :regex)
  AND (:hide IS NULL OR NOT name REGEXP :hide)

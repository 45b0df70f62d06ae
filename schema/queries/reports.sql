-- Printed tables of functions in a log. total_s is the base of shares: the seconds printed above the table,
-- or else its sum of tottime. Header keys: see imports.sql.
--
-- column: id, stage string?, title string?, ordered_by string?: of the table
-- column: ncalls, primitive_calls, seconds: its totals
-- column: functions number: number of its rows
-- column: listed_of: functions of the profile, if the list was reduced
-- column: by string?: what the rows of an operator table are grouped by
-- column: device_seconds, total_s number: totals of an operator table
-- sort: id asc id
-- sort: total_s desc total_s
-- sort: title asc title
-- sort: stage asc stage, title
-- sort: ncalls desc ncalls
-- sort: functions desc functions
-- sum: functions sum(functions)
-- of: SELECT count(*) FROM report
SELECT * FROM (
    SELECT r.id, nullif(r.stage, '') AS stage, nullif(r.title, '') AS title, nullif(r.ordered, '') AS ordered_by,
           r.ncalls, r.primitive_calls, r.seconds, r.last - r.first + 1 AS functions, r.listed_of,
           nullif(r.by, '') AS by, r.device_seconds,
           coalesce(r.seconds, (SELECT total(f.tottime_s) FROM function f WHERE f.id BETWEEN r.first AND r.last)) AS total_s
    FROM report r)
WHERE (:q IS NULL OR ps_words(:q, coalesce(title, ''), coalesce(stage, '')))
  AND (:regex IS NULL OR title REGEXP :regex)

-- Measurements with the minimum and maximum of their group, for a shared scale. Header keys: see imports.sql.
--
-- column: id, name, grp: number, name, and group of the measurement
-- column: value, unit: the unit is `s`, `KiB`, `B`, `%`, or empty for counts
-- column: statistic: what `value` is: `mean`, `best` or `single`
-- column: n: number of samples
-- column: mean, median, stddev, min, max, q1, q3: statistics; null where they do not exist
-- column: resolution: value of the last printed digit; null if the file has all digits
-- column: group_min number?, group_max number?: smallest `min` and largest `max` of the rows of its group and unit
-- column: failed number: 1: a run of this command failed, so its time says nothing
-- sort: id asc id
-- sort: name asc name
-- sort: group asc grp
-- sort: value desc value
-- sort: unit asc unit
-- sort: n desc n
-- sort: stddev desc stddev
-- sort: relative desc stddev / nullif(mean, 0)
-- sort: median desc median
-- sort: min desc min
-- sort: max desc max
-- of: SELECT count(*) FROM measurement
SELECT id, name, grp, value, unit, statistic, n, mean, median, stddev, min, max, q1, q3, resolution,
       (SELECT min(coalesce(o.min, o.value)) FROM measurement o WHERE o.grp = m.grp AND o.unit = m.unit) AS group_min,
       (SELECT max(coalesce(o.max, o.value)) FROM measurement o WHERE o.grp = m.grp AND o.unit = m.unit) AS group_max,
       name IN (SELECT name FROM measurement WHERE json_extract(more, '$."exit codes"') GLOB '*[1-9s]*') AS failed
FROM measurement m
WHERE (:q IS NULL OR ps_words(:q, name || ' ' || grp))
  AND (:regex IS NULL OR name REGEXP :regex OR grp REGEXP :regex)

-- Measurements with the minimum and maximum of their group, for a shared scale. Header keys: see imports.sql.
--
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
       (SELECT max(coalesce(o.max, o.value)) FROM measurement o WHERE o.grp = m.grp AND o.unit = m.unit) AS group_max
FROM measurement m
WHERE (:q IS NULL OR ps_words(:q, name || ' ' || grp))
  AND (:regex IS NULL OR name REGEXP :regex OR grp REGEXP :regex)

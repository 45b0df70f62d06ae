-- Measurements by group, the smallest value of each group first; groups in the order of the file. Commands of which a
-- run failed are left out: their time says nothing.
SELECT m.id, m.name, m.grp, m.unit, m.value, m.n, m.stddev, m.mean
FROM measurement m
WHERE m.value > 0
  AND m.name NOT IN (SELECT name FROM measurement WHERE json_extract(more, '$."exit codes"') GLOB '*[1-9s]*')
ORDER BY (SELECT min(o.id) FROM measurement o WHERE o.grp = m.grp AND o.unit = m.unit), m.value, m.id;

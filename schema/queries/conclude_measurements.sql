-- Measurements by group, the smallest value of each group first; groups in the order of the file.
SELECT m.id, m.name, m.grp, m.unit, m.value, m.n, m.stddev, m.mean
FROM measurement m
WHERE m.value > 0
ORDER BY (SELECT min(o.id) FROM measurement o WHERE o.grp = m.grp AND o.unit = m.unit), m.value, m.id;

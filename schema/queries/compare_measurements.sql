-- Measurements as they are compared. With one run a side its samples are the group. For the lines of the head see compare_imports.sql.
--
-- title: Measurements
-- row: measurement
-- place: unit
-- metric: value - - Value
-- resolution: value SELECT max(resolution) FROM measurement
SELECT id, CASE WHEN grp IN ('', name) THEN name ELSE grp || ': ' || name END AS name, unit AS place, value, samples
FROM measurement

-- Measurements, for comparison. If each group is one run, the samples are compared. Header keys: see
-- compare_imports.sql.
--
-- title: Measurements
-- row: measurement
-- place: unit
-- metric: value - - Value
-- resolution: value SELECT max(resolution) FROM measurement
SELECT id, CASE WHEN grp IN ('', name) THEN name ELSE grp || ': ' || name END AS name, unit AS place, value, samples
FROM measurement

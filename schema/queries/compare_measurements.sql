-- Measurements, for comparison. The value is the median, if all compared runs have one, else what the tool states.
-- Rows with equal names are numbered, since they are other measurements. Header keys: see compare_imports.sql.
--
-- title: Measurements
-- row: measurement
-- place: unit
-- metric: value - - Value
WITH
-- include: measured
numbered AS (
    SELECT id, part, failed, row_number() OVER (PARTITION BY name, grp, unit, metric ORDER BY id) AS nth FROM measured)
SELECT m.id, CASE WHEN EXISTS (SELECT * FROM serving_result s WHERE s.name = '' AND m.id BETWEEN s.first AND s.last) THEN m.metric WHEN m.grp IN ('', m.name) THEN m.name ELSE m.grp || ': ' || m.name END || CASE WHEN m.is_part AND NOT EXISTS (SELECT * FROM serving_result s WHERE s.name = '' AND m.id BETWEEN s.first AND s.last) AND m.metric <> m.grp THEN ' ' || m.metric ELSE '' END ||
       CASE WHEN r.nth > 1 THEN ' (' || r.nth || ')' ELSE '' END AS name,
       m.unit AS place, m.median AS value, m.value AS stated, m.resolution, m.samples, m.processes, m.n, m.stddev, m.q1, m.q3,
       CASE WHEN json_type(m.more, '$.ci_99_a') IN ('real', 'integer') THEN json_extract(m.more, '$.ci_99_a') END AS low,
       CASE WHEN json_type(m.more, '$.ci_99_b') IN ('real', 'integer') THEN json_extract(m.more, '$.ci_99_b') END AS high,
       r.part, r.failed, coalesce(m.better, CASE WHEN m.unit IN ('s', 'B', 'KiB') THEN -1 ELSE 0 END) AS better
FROM numbered r
JOIN measurement m ON m.id = r.id -- samples are not sorted with the numbers
ORDER BY m.id

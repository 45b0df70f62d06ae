-- Measurements, for comparison. The value is the median, if all compared runs have one, else what the tool states.
-- Rows with equal names are numbered, since they are other measurements. A file with the results of one load of an inference server
-- has its metrics as names. Header keys: see compare_imports.sql.
--
-- title: Measurements
-- row: measurement
-- place: unit
-- metric: value - - Value
WITH
-- include: measured
numbered AS (
    SELECT id, part, failed, row_number() OVER (PARTITION BY name, grp, unit, metric ORDER BY id) AS nth FROM measured)
SELECT m.id, CASE WHEN s.name = '' THEN m.metric WHEN m.grp IN ('', m.name) THEN m.name ELSE m.grp || ': ' || m.name END ||
       CASE WHEN m.is_part AND m.metric <> m.grp AND coalesce(s.name, '-') <> '' THEN ' ' || m.metric ELSE '' END ||
       CASE WHEN r.nth > 1 THEN ' (' || r.nth || ')' ELSE '' END AS name,
       m.unit AS place, m.median AS value, m.value AS stated, m.resolution, m.samples, m.processes, m.n, m.stddev, m.q1, m.q3,
       CASE WHEN json_type(m.more, '$.ci_99_a') IN ('real', 'integer') THEN json_extract(m.more, '$.ci_99_a') END AS low,
       CASE WHEN json_type(m.more, '$.ci_99_b') IN ('real', 'integer') THEN json_extract(m.more, '$.ci_99_b') END AS high,
       r.part, r.failed, coalesce(m.better, CASE WHEN m.unit IN ('s', 'B', 'KiB') THEN -1 ELSE 0 END) AS better,
       s.id AS load, m.metric AS measured
FROM numbered r
JOIN measurement m ON m.id = r.id -- samples are not sorted with the numbers
LEFT JOIN serving_result s ON m.id BETWEEN s.first AND s.last
ORDER BY m.id

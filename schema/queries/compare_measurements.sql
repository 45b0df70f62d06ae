-- Measurements, for comparison. The value is the median, if all compared runs have one, else what the tool states.
-- Rows with equal names are numbered, since they are other measurements. Header keys: see compare_imports.sql.
--
-- title: Measurements
-- row: measurement
-- place: unit
-- metric: value - - Value
WITH run AS (SELECT max(v) FILTER (WHERE k = 'kind') AS kind FROM meta),
first AS (SELECT grp, EXISTS (SELECT 1 FROM measurement WHERE name = 'real') AS has_real FROM measurement ORDER BY id LIMIT 1),
numbered AS (
    SELECT *, row_number() OVER (PARTITION BY name, grp, unit ORDER BY id) AS nth,
           ps_command_failed(json_extract(more, '$."exit codes"'), json_extract(more, '$."exit status"'),
                             json_extract(more, '$."ended by signal"')) AS own_failed
    FROM measurement)
SELECT m.id, CASE WHEN m.grp IN ('', m.name) THEN m.name ELSE m.grp || ': ' || m.name END || CASE WHEN m.nth > 1 THEN ' (' || m.nth || ')' ELSE '' END AS name,
       m.unit AS place, m.median AS value, m.value AS stated, m.resolution, m.samples,
       CASE run.kind WHEN 'hyperfine' THEN m.grp <> first.grp
                     WHEN 'time' THEN first.has_real AND m.name <> 'real'
                     WHEN 'timeit' THEN m.statistic = 'single' AND m.name IN ('user', 'sys', 'total')
                     ELSE 0 END AS part,
       CASE run.kind WHEN 'hyperfine' THEN max(m.own_failed) OVER (PARTITION BY m.name) ELSE m.own_failed END AS failed
FROM numbered m
JOIN run
JOIN first
ORDER BY m.id

-- Parts of a step's time by TensorBoard's definition, for comparison: means over the counted steps. Header
-- keys: see compare_imports.sql.
--
-- title: Parts of a step
-- row: part
-- metric: mean_us us adds Mean time
-- work: steps SELECT json_extract(v, '$.steps') FROM meta WHERE k = 'summary'
-- each: step
-- has: * SELECT EXISTS (SELECT 1 FROM step s JOIN step_part p ON p.step = s.id WHERE s.counted AND s.name <> 'whole trace')
SELECT p.name, total(p.ns) / 1000.0 / (SELECT count(*) FROM step WHERE counted) AS mean_us
FROM step_part p
JOIN step s ON s.id = p.step
WHERE p.definition = 0 AND s.counted
GROUP BY p.name

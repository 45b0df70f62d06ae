-- Means of the parts over the counted steps.
SELECT p.definition, p.name, total(p.ns) / count(*) AS ns
FROM step_part p JOIN step s ON s.id = p.step WHERE s.counted
GROUP BY p.definition, p.name ORDER BY p.definition, min(p.rowid);

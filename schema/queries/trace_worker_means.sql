-- Means of the parts over the counted steps, by worker.
SELECT s.worker, p.definition, p.name, total(p.ns) / count(*) AS ns
FROM step_part p JOIN step s ON s.id = p.step WHERE s.counted
GROUP BY s.worker, p.definition, p.name ORDER BY s.worker, p.definition, min(p.rowid);

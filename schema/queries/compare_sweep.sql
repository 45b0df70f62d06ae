-- Results of clients with their metrics: see server/query/compare/sweep.c.
SELECT s.id, s.name, s.parameters, m.metric, m.value, m.unit, coalesce(m.better, CASE WHEN m.unit = 's' THEN -1 ELSE 0 END)
FROM serving_result s JOIN measurement m ON m.id BETWEEN s.first AND s.last
WHERE m.metric IS NOT NULL AND m.value IS NOT NULL
ORDER BY s.id, m.id

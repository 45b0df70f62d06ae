-- A metric as a client states it, in ns; of the result :result, or of the only result that the run has.
SELECT m.value * CASE m.unit WHEN 's' THEN 1e9 WHEN 'ms' THEN 1e6 WHEN 'us' THEN 1e3 WHEN 'ns' THEN 1 END
FROM serving_result s JOIN measurement m ON m.id BETWEEN s.first AND s.last
WHERE CASE :result WHEN 0 THEN (SELECT count(*) FROM serving_result) = 1 ELSE s.id = :result END AND m.metric = :metric
ORDER BY m.id;

-- The times to the first token of each result of a client, in s: the median or else the mean, and the 99th percentile.
WITH ttft AS (
    SELECT s.id, m.metric, coalesce(m.median, m.mean, m.value) * CASE m.unit WHEN 's' THEN 1 WHEN 'ms' THEN 1e-3 WHEN 'us' THEN 1e-6 WHEN 'ns' THEN 1e-9 END AS value
    FROM serving_result s JOIN measurement m ON m.id BETWEEN s.first AND s.last
    WHERE m.metric IN ('time to first token', 'time to first token, p99'))
SELECT max(value) FILTER (WHERE metric = 'time to first token'), max(value) FILTER (WHERE metric = 'time to first token, p99')
FROM ttft GROUP BY id ORDER BY id;

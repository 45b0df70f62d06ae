-- The newest runs of the series :series, oldest first: one more than two groups may have.
SELECT id FROM (SELECT id, seq FROM run WHERE series = :series ORDER BY seq DESC LIMIT 401) ORDER BY seq;

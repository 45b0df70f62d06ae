-- The newest runs of the series :series, oldest first. The limit is one more than the runs of two groups.
SELECT id FROM (SELECT id, seq FROM run WHERE series = :series ORDER BY seq DESC LIMIT 401) ORDER BY seq;

-- The newest runs of the series :series, oldest first, one more than a group may have.
SELECT id FROM (SELECT id, seq FROM run WHERE series = :series ORDER BY seq DESC LIMIT 201) ORDER BY seq;

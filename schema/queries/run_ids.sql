-- All runs, the oldest first.
SELECT id FROM run ORDER BY seq;

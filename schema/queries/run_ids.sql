-- All runs, oldest first.
SELECT id FROM run ORDER BY seq;

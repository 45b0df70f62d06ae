-- The :n-th newest run, from 0.
SELECT id FROM run ORDER BY seq DESC LIMIT 1 OFFSET :n;

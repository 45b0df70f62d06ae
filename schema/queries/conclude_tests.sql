-- Durations of tests, the longest first, with their sum, and how many were measured, failed and were skipped. Parts of a
-- test, such as its setup, are left out where a row has all of it. are_whole: each row is a whole test.
SELECT id, name, value, sum(value) OVER () AS total, count(value) OVER () AS n,
       sum(state = 1) OVER () AS failed, sum(state = 2) OVER () AS skipped, count(*) OVER () AS n_all,
       min(metric = 'time') OVER () AS are_whole
FROM measurement
WHERE NOT is_part
ORDER BY value DESC, id

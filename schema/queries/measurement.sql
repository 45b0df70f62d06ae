-- The measurement :id with all its details.
SELECT id, name, grp, value, unit, statistic, n, mean, median, stddev, min, max, q1, q3, resolution, more, samples,
       coalesce(benchmark, name) AS benchmark, parameters, metric, coalesce(better, CASE WHEN unit IN ('s', 'B', 'KiB') THEN -1 ELSE 0 END) AS better,
       is_part, state, loops, warmups, processes FROM measurement WHERE id = :id;

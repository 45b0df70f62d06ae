-- The measurement :id with all its details.
SELECT id, name, grp, value, unit, statistic, n, mean, median, stddev, min, max, q1, q3, resolution, more, samples FROM measurement WHERE id = :id;

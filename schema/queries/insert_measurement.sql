INSERT INTO measurement(id, name, grp, value, unit, statistic, n, mean, median, stddev, min, max, q1, q3, resolution, more, samples)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17);

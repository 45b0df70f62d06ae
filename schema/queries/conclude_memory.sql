-- The memory curve of the main process: peak in bytes and its time, first and last value, start and end of the recording;
-- the median of its last tenth without the last two samples, which may be those of a process that exits (NULL: too few
-- samples); and the values after a quarter, half and three quarters of the time.
WITH sample AS (
    SELECT t_s, mib, row_number() OVER (ORDER BY t_s DESC, rowid DESC) AS back FROM memory_sample WHERE process IS NULL
),
bounds AS (
    SELECT min(t_s) AS first_s, max(t_s) AS last_s FROM sample
),
late AS (
    SELECT mib, row_number() OVER (ORDER BY mib) AS n, count(*) OVER () AS of
    FROM sample, bounds WHERE back > 2 AND t_s >= last_s - (last_s - first_s) / 10
)
SELECT p.mib * 1048576, p.t_s - b.first_s, f.mib * 1048576, l.mib * 1048576, b.last_s - b.first_s,
       (SELECT mib FROM late WHERE n = (of + 1) / 2) * 1048576,
       (SELECT mib FROM sample WHERE t_s <= first_s + (last_s - first_s) * 0.25 ORDER BY t_s DESC LIMIT 1) * 1048576,
       (SELECT mib FROM sample WHERE t_s <= first_s + (last_s - first_s) * 0.5 ORDER BY t_s DESC LIMIT 1) * 1048576,
       (SELECT mib FROM sample WHERE t_s <= first_s + (last_s - first_s) * 0.75 ORDER BY t_s DESC LIMIT 1) * 1048576
FROM bounds b
JOIN (SELECT t_s, mib FROM sample ORDER BY mib DESC, t_s LIMIT 1) p
JOIN (SELECT mib FROM sample ORDER BY t_s LIMIT 1) f
JOIN (SELECT mib FROM sample ORDER BY t_s DESC LIMIT 1) l;

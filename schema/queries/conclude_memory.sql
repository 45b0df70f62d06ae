-- The memory curve of the main process: peak in bytes and its time, first and last value, start and end of the recording.
SELECT p.mib * 1048576, p.t_s - b.first_s, f.mib * 1048576, l.mib * 1048576, b.last_s - b.first_s
FROM (SELECT min(t_s) AS first_s, max(t_s) AS last_s FROM memory_sample WHERE process IS NULL) b
JOIN (SELECT t_s, mib FROM memory_sample WHERE process IS NULL ORDER BY mib DESC, t_s LIMIT 1) p
JOIN (SELECT mib FROM memory_sample WHERE process IS NULL ORDER BY t_s LIMIT 1) f
JOIN (SELECT mib FROM memory_sample WHERE process IS NULL ORDER BY t_s DESC LIMIT 1) l;

-- Functions of the printed report of the longest profile by their total time: id, name, calls, total time and own time in s, the time of
-- the profile, as printed or else the longest total time, and the origin.
SELECT f.id, f.name, f.ncalls, f.cumtime_s, f.tottime_s, coalesce(r.seconds, max(f.cumtime_s) OVER ()), f.origin
FROM (
-- include: longest_report
) r
JOIN function f ON f.id BETWEEN r.first AND r.last
WHERE f.cumtime_s > 0 ORDER BY f.cumtime_s DESC, f.id;

-- Functions of the first printed report: name, calls, own time in s, the time of the profile, and what shares are of.
SELECT f.name, f.ncalls, f.tottime_s, coalesce(r.seconds, total(f.tottime_s) OVER ()), 'of the time'
FROM report r JOIN function f ON f.id BETWEEN r.first AND r.last
WHERE r.id = (SELECT min(id) FROM report) AND f.tottime_s > 0 ORDER BY f.tottime_s DESC, f.id;

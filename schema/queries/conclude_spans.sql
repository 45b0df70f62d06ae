-- Functions of a memory curve by the memory that they hold at its peak: what was added from the start of each call to the
-- peak, or to its end if that is earlier. Columns: name, calls, bytes, seconds. First is the innermost function that
-- holds half of the most: a function contains the calls inside it.
SELECT name, calls, bytes, seconds
FROM (SELECT s.name, max(s.level) AS level, count(*) AS calls, sum(s.end_s - s.start_s) AS seconds,
             min(sum(iif(s.end_s < p.t_s, s.end_mib, p.mib) - s.start_mib), p.mib - min(s.start_mib)) * 1048576 AS bytes
      FROM span s, (SELECT t_s, mib FROM memory_sample WHERE process IS NULL ORDER BY mib DESC, t_s LIMIT 1) p
      WHERE s.start_s <= p.t_s GROUP BY s.name)
WHERE bytes > 0
ORDER BY iif(bytes * 2 >= max(bytes) OVER (), level, -1) DESC, bytes DESC, name LIMIT 20;

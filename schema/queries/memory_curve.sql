-- Points of the curves between :from and :to, by curve and time, with the nearest points before and after,
-- so that the drawn lines reach the edges.
SELECT process, kind, t_s, mib FROM memory_sample
WHERE t_s >= coalesce((SELECT max(t_s) FROM memory_sample WHERE t_s < :from), :from)
  AND t_s <= coalesce((SELECT min(t_s) FROM memory_sample WHERE t_s > :to), :to)
ORDER BY kind, process, t_s;

-- The child processes of a memory curve: how many, and in bytes the most that they hold together, and that they hold with
-- the main process; whether the curve is once below that of a child, so that it cannot contain the children. mprof
-- writes the children after the main process at each tick.
WITH sampled AS (SELECT process, mib, sum(process IS NULL) OVER (ORDER BY t_s ROWS UNBOUNDED PRECEDING) AS tick FROM memory_sample),
     ticks AS (SELECT max(mib) FILTER (WHERE process IS NULL) AS main, sum(mib) FILTER (WHERE process IS NOT NULL) AS children,
                      max(mib) FILTER (WHERE process IS NOT NULL) AS child
               FROM sampled GROUP BY tick)
SELECT (SELECT count(DISTINCT process) FROM memory_sample), max(children) * 1048576, max(main + children) * 1048576,
       coalesce(max(child > main), 0)
FROM ticks;

-- Points of the curves from :from to :to, curve by curve in order of time.
SELECT process, kind, t_s, mib FROM memory_sample WHERE t_s BETWEEN :from AND :to ORDER BY kind, process, t_s;

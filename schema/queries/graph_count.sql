-- Number of functions that reach :min_s.
SELECT count(*) FROM function f WHERE max(coalesce(f.cumtime_s, 0), coalesce(f.tottime_s, 0)) >= :min_s;

-- Sum of own times, and the time that is 100 % of a call graph: the greater of this sum and the greatest
-- cumulative time.
SELECT total(tottime_s), max(total(tottime_s), coalesce(max(cumtime_s), 0)) FROM function WHERE listed;

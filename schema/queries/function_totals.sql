-- Sum of own times, and the base of the percentages of a call graph: the greater of this sum and the greatest
-- cumulative time.
SELECT total(tottime_s), max(total(tottime_s), coalesce(max(cumtime_s), 0)) FROM function WHERE listed;

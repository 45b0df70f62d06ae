-- Sum of own times, and the base of a call graph's percentages: that, or the greatest cumulative time when it is more.
SELECT total(tottime_s), max(total(tottime_s), coalesce(max(cumtime_s), 0)) FROM function WHERE listed;

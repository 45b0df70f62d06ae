-- Function calls that touch the time from :from to :to.
SELECT name, level, start_s, end_s, start_mib, end_mib FROM span WHERE end_s >= :from AND start_s <= :to ORDER BY start_s LIMIT 5000;

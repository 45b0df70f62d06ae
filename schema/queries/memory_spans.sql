-- Function calls that overlap the time from :from to :to, in seconds since :start.
--
-- column: start_s number, end_s number: seconds since the start of the run
SELECT name, level, s.start_s - :start AS start_s, s.end_s - :start AS end_s, start_mib, end_mib
FROM span s WHERE s.end_s >= :from AND s.start_s <= :to ORDER BY s.start_s LIMIT 5000;

-- Steps of a trace, for the critical path of one of them: the one with :id; id 0: all that are counted, or all steps
-- if none is counted.
SELECT id, name, start_ns, end_ns, host_start_ns, host_end_ns, worker FROM step
WHERE CASE WHEN :id THEN id = :id ELSE counted OR NOT EXISTS(SELECT 1 FROM step WHERE counted) END
ORDER BY end_ns - start_ns, id DESC; -- so the last row is the first of the slowest

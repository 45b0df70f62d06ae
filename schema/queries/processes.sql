-- The :limit first processes with a series named :what: by descending peak if :by is 'peak', else by id, the order
-- in which the busiest process is first.
SELECT s.id AS series, p.id, p.pid, p.name, s.greatest AS peak
FROM process p JOIN series s ON s.process = p.id AND s.name = :what
ORDER BY CASE WHEN :by = 'peak' THEN -coalesce(s.greatest, 0) ELSE p.id END, p.id LIMIT :limit;

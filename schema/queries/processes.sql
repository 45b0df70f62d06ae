-- Processes with the series of theirs that is called :what. By :by: their peak, else in their own order, the busiest first.
SELECT p.id, p.pid, p.name, s.id AS series, s.greatest
FROM process p JOIN series s ON s.process = p.id AND s.name = :what
ORDER BY CASE WHEN :by = 'peak' THEN -coalesce(s.greatest, 0) ELSE p.id END, p.id LIMIT :limit;

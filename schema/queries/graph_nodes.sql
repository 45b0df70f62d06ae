-- Functions whose cumulative or own time is at least :min_s, or the function :id.
SELECT f.id, f.name, l.path AS file, f.line, o.word AS origin, f.tottime_s, f.cumtime_s, f.ncalls, f.primitive_calls, f.cycle
FROM function f JOIN file l ON l.id = f.file JOIN origin o ON o.id = f.origin
WHERE (:id IS NULL AND max(coalesce(f.cumtime_s, 0), coalesce(f.tottime_s, 0)) >= :min_s) OR f.id = :id
ORDER BY f.cumtime_s DESC, f.id LIMIT :limit;

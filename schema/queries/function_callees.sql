-- Functions that the function :id calls, and the time of these calls; the :limit largest.
--
-- columns: function_callers
SELECT g.id, g.name, l.path AS file, g.line, o.word AS origin, c.ncalls, c.primitive_calls, c.tottime_s, c.cumtime_s, nullif(g.cycle, 0) AS cycle
FROM function f, ps_ids(f.callees) k
JOIN function g ON g.id = k.id, ps_calls(g.callers) c
JOIN file l ON l.id = g.file
JOIN origin o ON o.id = g.origin
WHERE f.id = :id AND c.caller_id = :id ORDER BY c.cumtime_s DESC, c.ncalls DESC, g.id LIMIT :limit;

-- Functions that call the function :id, and the time of these calls; the :limit largest.
--
-- column: line number
-- column: ncalls number?, primitive_calls number?, tottime_s number?, cumtime_s number?: of the calls between the two functions
-- column: cycle number?: number of the recursive cycle, or null
SELECT g.id, g.name, l.path AS file, g.line, o.word AS origin, c.ncalls, c.primitive_calls, c.tottime_s, c.cumtime_s, nullif(g.cycle, 0) AS cycle
FROM function f, ps_calls(f.callers) c
JOIN function g ON g.id = c.caller_id
JOIN file l ON l.id = g.file
JOIN origin o ON o.id = g.origin
WHERE f.id = :id ORDER BY c.cumtime_s DESC, c.ncalls DESC, g.id LIMIT :limit;

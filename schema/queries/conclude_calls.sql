-- All pairs of a callee and a caller of a cProfile dump. Times are NULL in dumps of the module profile.
SELECT f.id, c.caller_id, c.ncalls, c.tottime_s, c.cumtime_s
FROM function f, ps_calls(f.callers) c
WHERE c.caller_id <> f.id;

-- Callers of the function :id, with the number and time of their calls. If the dump has no times of calls
-- (`profile`), the time of the function is divided in proportion to the numbers of calls.
SELECT c.caller_id, c.ncalls, coalesce(c.cumtime_s, f.cumtime_s * c.ncalls / nullif(f.ncalls, 0)) AS total
FROM function f, ps_calls(f.callers) c WHERE f.id = :id;

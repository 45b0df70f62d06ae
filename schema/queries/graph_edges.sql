-- Calls of the function :id. If the dump counts calls without times (`profile`), the time of the callee is
-- divided by share of calls.
SELECT c.caller_id, c.ncalls, coalesce(c.cumtime_s, f.cumtime_s * c.ncalls / nullif(f.ncalls, 0)) AS total
FROM function f, ps_calls(f.callers) c WHERE f.id = :id;

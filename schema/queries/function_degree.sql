-- How many callers and callees the function :id has.
SELECT (SELECT count(*) FROM ps_calls(f.callers)), (SELECT count(*) FROM ps_ids(f.callees)) FROM function f WHERE f.id = :id;

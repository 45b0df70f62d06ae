-- Number of callers and of callees of the function :id.
SELECT (SELECT count(*) FROM ps_calls(f.callers)), (SELECT count(*) FROM ps_ids(f.callees)) FROM function f WHERE f.id = :id;

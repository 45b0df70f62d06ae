-- Whether the table meta of a new run file is as its writer leaves it: without the keys that the publisher
-- writes, and with a JSON summary.
SELECT count(*) FILTER (WHERE k IN ('kind', 'name', 'created_at', 'sha256', 'bytes', 'label')) = 0 AND
       coalesce(min(json_valid(v)) FILTER (WHERE k = 'summary'), 0)
FROM meta;

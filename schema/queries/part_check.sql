-- Whether the table meta of a run file is as the child process wrote it: it has no keys that only publishing
-- writes, and its summary is JSON.
SELECT count(*) FILTER (WHERE k IN ('kind', 'name', 'created_at', 'sha256', 'bytes', 'label')) = 0 AND
       coalesce(min(json_valid(v)) FILTER (WHERE k = 'summary'), 0)
FROM meta;

-- Whether meta is as a writer leaves it: nothing of what its publisher writes, and a summary in JSON; in the part file.
SELECT count(*) FILTER (WHERE k IN ('kind', 'name', 'created_at', 'sha256', 'bytes', 'label')) = 0 AND
       coalesce(min(json_valid(v)) FILTER (WHERE k = 'summary'), 0)
FROM meta;

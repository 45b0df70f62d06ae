INSERT OR REPLACE INTO source(run, path, sha256, bytes, changed, at)
SELECT :id, value ->> 'path', value ->> 'sha256', value ->> 'bytes', value ->> 'changed', value ->> 'at'
FROM json_each(:label, '$.sources');

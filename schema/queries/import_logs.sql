-- The newest :limit import logs except :run. Logs of another minor version of Python ("3.11" of "3.11.7") are left
-- out if the tags of both runs contain the version.
WITH python(run, minor) AS (SELECT run, substr(v, 1, instr(v, '.') + instr(substr(v, instr(v, '.') + 1) || '.', '.') - 1) FROM tag WHERE k = 'python')
SELECT r.id, r.name FROM run r LEFT JOIN python theirs ON theirs.run = r.id LEFT JOIN python ours ON ours.run = :run
WHERE r.kind = 'importtime' AND r.id <> :run AND coalesce(theirs.minor = ours.minor, 1)
ORDER BY r.seq DESC LIMIT :limit;

-- Unfinished jobs and the newest :listed finished jobs, newest first.
SELECT id, session, state, view, cancel, at FROM job WHERE state IN ('queued', 'running')
UNION ALL SELECT * FROM (SELECT id, session, state, view, cancel, at FROM job WHERE state NOT IN ('queued', 'running') ORDER BY id DESC LIMIT :listed)
ORDER BY id DESC;

-- Other sessions with uploads or unfinished jobs.
SELECT session FROM upload WHERE session <> :session
UNION SELECT session FROM job WHERE session <> :session AND state IN ('queued', 'running');

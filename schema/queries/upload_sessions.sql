-- Who else has uploads in hand, or jobs that have not ended.
SELECT session FROM upload WHERE session <> :session
UNION SELECT session FROM job WHERE session <> :session AND state IN ('queued', 'running');

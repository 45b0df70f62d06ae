-- What is unfinished of a session that died becomes :session's.
UPDATE job SET session = :session WHERE session = :dead AND state IN ('queued', 'running');

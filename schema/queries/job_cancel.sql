-- Requests the cancellation of an unfinished job.
UPDATE job SET cancel = 1 WHERE id = :id AND state IN ('queued', 'running');

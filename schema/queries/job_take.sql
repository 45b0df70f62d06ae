-- Moves the unfinished jobs of a crashed session to :session.
UPDATE job SET session = :session WHERE session = :dead AND state IN ('queued', 'running');

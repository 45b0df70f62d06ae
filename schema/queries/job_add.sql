-- Adds a job of :session and returns its number. Numbers are not reused, because the newest job is never
-- deleted.
INSERT INTO job(session, state, view, cancel, at) VALUES (:session, 'queued', '', 0, :at) RETURNING id;

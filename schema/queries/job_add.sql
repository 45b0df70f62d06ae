-- A job that :session was asked for. Returns its number, which is none that an earlier one had: the newest is never forgotten.
INSERT INTO job(session, state, view, cancel, at) VALUES (:session, 'queued', '', 0, :at) RETURNING id;

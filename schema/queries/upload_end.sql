-- Deletes an upload after its import, unless it has moved to another session. Returns its files.
DELETE FROM upload WHERE id = :id AND session = :session RETURNING file, sources;

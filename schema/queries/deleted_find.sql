-- Deleted runs whose id begins with :run, or whose name is :run: an exact id first, then the last deleted.
SELECT id, name, who FROM deleted_run
WHERE id = :run OR name = :run OR (length(:run) >= 4 AND substr(id, 1, length(:run)) = :run)
ORDER BY id = :run DESC, deleted_at DESC, seq DESC LIMIT 2;

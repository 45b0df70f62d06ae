-- The run :id cannot be recovered any more.
DELETE FROM deleted_run WHERE id = :id RETURNING sha256;

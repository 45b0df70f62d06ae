-- Makes the deleted run :id unrecoverable.
DELETE FROM deleted_run WHERE id = :id RETURNING sha256;

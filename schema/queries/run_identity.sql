-- The columns with which the run :id is published again elsewhere.
SELECT sha256, bytes, kind, created_at FROM run WHERE id = :id;

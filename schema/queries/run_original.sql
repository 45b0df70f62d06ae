-- The original of the run :id.
SELECT sha256, bytes FROM run WHERE id = :id;

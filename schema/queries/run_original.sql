-- The original of a run. :id
SELECT sha256, bytes FROM run WHERE id = :id;

-- Whether the run :id is on the shelf. Files of a deleted run are kept for another day.
SELECT 1 FROM run WHERE id = :id;

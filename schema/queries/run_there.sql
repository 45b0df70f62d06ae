-- Whether the run :id is on the shelf. A run file is no evidence, because those of deleted runs are kept for a day.
SELECT 1 FROM run WHERE id = :id;

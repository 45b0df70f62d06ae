-- Adds the tags of the run :id in the snapshot `old`; its own tags are already deleted.
INSERT INTO main.tag SELECT * FROM old.tag WHERE run = :id AND EXISTS (SELECT 1 FROM main.run WHERE id = :id);

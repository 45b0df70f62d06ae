-- The tags of the run :id, where it has none any more.
INSERT INTO main.tag SELECT * FROM old.tag WHERE run = :id AND EXISTS (SELECT 1 FROM main.run WHERE id = :id);

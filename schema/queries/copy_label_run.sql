-- What is said of the run :id, as the snapshot old has it.
UPDATE main.run SET (name, series, who, note) = (SELECT name, series, who, note FROM old.run WHERE id = :id) WHERE id = :id;

-- Sets the label of the run :id to that in the snapshot `old`.
UPDATE main.run SET (name, series, who, note) = (SELECT name, series, who, note FROM old.run WHERE id = :id) WHERE id = :id;

-- Whether :id is on the shelf; a deleted run has its files for another day.
SELECT 1 FROM run WHERE id = :id;

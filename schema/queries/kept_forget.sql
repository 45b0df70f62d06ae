-- The file of the run :id, and its label, are no more.
DELETE FROM kept WHERE folder IN ('runs', 'labels') AND key = :id;

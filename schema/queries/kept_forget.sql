-- The file of the run :id is no more.
DELETE FROM kept WHERE folder = 'runs' AND key = :id;

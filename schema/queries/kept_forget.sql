-- Removes the entries of the run :id: its run file and its label.
DELETE FROM kept WHERE folder IN ('runs', 'labels') AND key = :id;

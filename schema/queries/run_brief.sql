-- Short description of the run :id.
SELECT kind, name, rows, repaired, rejected, who FROM run WHERE id = :id;

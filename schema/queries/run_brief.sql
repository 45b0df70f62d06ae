-- What a run is, in short. :id
SELECT kind, name, rows, repaired, rejected, who FROM run WHERE id = :id;

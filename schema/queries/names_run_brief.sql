-- What the search across runs shows of the run :id.
SELECT id, name, kind, series, created_at FROM run WHERE id = :id;

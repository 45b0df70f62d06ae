-- Columns of the run :id that users edit, and its original.
SELECT kind, sha256, bytes, name, series, who, note FROM run WHERE id = :id;

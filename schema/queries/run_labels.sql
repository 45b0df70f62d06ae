-- What people say of a run, and what its original is. :id
SELECT kind, sha256, bytes, name, series, who, note FROM run WHERE id = :id;

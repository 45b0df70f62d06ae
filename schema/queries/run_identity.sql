-- What a run is, to be published again elsewhere. :id
SELECT sha256, bytes, kind, created_at FROM run WHERE id = :id;

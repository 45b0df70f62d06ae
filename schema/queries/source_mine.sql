-- Sources that only the run :id refers to.
SELECT DISTINCT sha256 FROM source s WHERE run = :id AND NOT EXISTS (SELECT 1 FROM source o WHERE o.sha256 = s.sha256 AND o.run <> :id);

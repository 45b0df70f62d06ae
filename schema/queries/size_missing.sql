-- Stored files whose size is unknown.
SELECT 'originals', sha256 FROM (SELECT sha256 FROM run UNION SELECT sha256 FROM deleted_run) r
    WHERE NOT EXISTS (SELECT 1 FROM kept_size WHERE folder = 'originals' AND sha256 = r.sha256)
UNION
SELECT 'sources', sha256 FROM source s WHERE NOT EXISTS (SELECT 1 FROM kept_size WHERE folder = 'sources' AND sha256 = s.sha256);

-- Bytes of all run files, originals and sources; and how many of these bytes belong to deleted runs, whose files
-- are deleted early when space is needed.
WITH deleted(bytes) AS (
    SELECT coalesce(sum(d.db_bytes + coalesce(k.bytes, 0)), 0)
    FROM deleted_run d LEFT JOIN kept_size k ON k.folder = 'originals' AND k.sha256 = d.sha256
    UNION ALL
    SELECT coalesce(sum(k.bytes), 0)
    FROM (SELECT DISTINCT s.sha256 FROM deleted_run d JOIN source s ON s.run = d.id) alone
    JOIN kept_size k ON k.folder = 'sources' AND k.sha256 = alone.sha256
    WHERE NOT EXISTS (SELECT 1 FROM source s JOIN run r ON r.id = s.run WHERE s.sha256 = alone.sha256)
)
SELECT coalesce(sum(CASE what WHEN 'all' THEN db_bytes ELSE bytes END), 0) + (SELECT coalesce(sum(db_bytes), 0) FROM deleted_run),
    (SELECT sum(bytes) FROM deleted)
FROM tally WHERE what IN ('all', 'kept');

-- Files recorded by :owner to which no row refers, and which no other owner has recorded.
SELECT folder, key
FROM doomed d
WHERE owner = :owner
  AND NOT EXISTS (SELECT 1 FROM doomed o WHERE o.folder = d.folder AND o.key = d.key AND o.owner <> d.owner)
  AND CASE folder WHEN 'runs' THEN NOT EXISTS (SELECT 1 FROM run WHERE id = d.key) AND NOT EXISTS (SELECT 1 FROM deleted_run WHERE id = d.key)
                  WHEN 'originals' THEN NOT EXISTS (SELECT 1 FROM run WHERE sha256 = d.key) AND NOT EXISTS (SELECT 1 FROM deleted_run WHERE sha256 = d.key)
                  ELSE NOT EXISTS (SELECT 1 FROM source WHERE sha256 = d.key) END
ORDER BY folder, key;

-- Whether a row refers to the file :key of :folder, or an operation in progress may need the file.
SELECT CASE :folder WHEN 'originals' THEN EXISTS (SELECT 1 FROM run WHERE sha256 = :key) OR EXISTS (SELECT 1 FROM deleted_run WHERE sha256 = :key)
                    WHEN 'sources' THEN EXISTS (SELECT 1 FROM source WHERE sha256 = :key)
                    ELSE EXISTS (SELECT 1 FROM run WHERE id = :key) OR EXISTS (SELECT 1 FROM deleted_run WHERE id = :key) END
    OR EXISTS (SELECT 1 FROM doomed WHERE folder = replace(:folder, 'labels', 'runs') AND key = :key)
    OR (:folder = 'labels' AND :key IN ('baselines', 'queries'));

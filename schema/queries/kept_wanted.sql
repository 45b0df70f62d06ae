-- Whether a row of run, deleted_run or source refers to the file :key of :folder.
SELECT CASE :folder WHEN 'originals' THEN EXISTS (SELECT 1 FROM run WHERE sha256 = :key) OR EXISTS (SELECT 1 FROM deleted_run WHERE sha256 = :key)
                    WHEN 'sources' THEN EXISTS (SELECT 1 FROM source WHERE sha256 = :key)
                    ELSE EXISTS (SELECT 1 FROM run WHERE id = :key) OR EXISTS (SELECT 1 FROM deleted_run WHERE id = :key) END;

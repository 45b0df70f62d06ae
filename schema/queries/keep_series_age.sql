-- The runs of keep_age.sql in the series :series. :series NULL: in all series that are not in :named, a JSON
-- array.
SELECT seq, id, created_at, db_bytes + bytes, name, series FROM run
WHERE created_at < :before AND series <> '' AND seq NOT IN (SELECT seq FROM pinned)
AND CASE WHEN :series IS NULL THEN series NOT IN (SELECT value FROM json_each(:named)) ELSE series = :series END;

-- Whether an upload, accepted or resumable, needs the file of the spool.
SELECT 1 FROM upload u WHERE u.file = :file OR EXISTS (SELECT 1 FROM json_each(u.sources) s WHERE s.value ->> 0 = :file)
UNION ALL SELECT 1 FROM partial WHERE file = :file;

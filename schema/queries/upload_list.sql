-- Uploads of :session after :after, oldest first.
SELECT id, file, filename, name, series, who, tags, sources, tries, job, note
FROM upload WHERE session = :session AND id > :after ORDER BY id;

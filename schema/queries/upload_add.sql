-- An upload that was accepted. Returns its number, which is :id, or the next one.
INSERT INTO upload(id, session, file, filename, name, series, who, tags, sources, at, job, note)
VALUES (:id, :session, :file, :filename, :name, :series, :who, :tags, :sources, :at, :job, :note)
RETURNING id;

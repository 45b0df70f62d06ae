-- Records an accepted upload. Returns its number: :id, or the next one if :id is NULL.
INSERT INTO upload(id, session, file, filename, name, series, who, tags, sources, at, job, note)
VALUES (:id, :session, :file, :filename, :name, :series, :who, :tags, :sources, :at, :job, :note)
RETURNING id;

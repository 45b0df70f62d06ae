-- An upload that was accepted. Returns its number.
INSERT INTO upload(session, file, filename, name, series, who, tags, sources, at)
VALUES (:session, :file, :filename, :name, :series, :who, :tags, :sources, :at)
RETURNING id;

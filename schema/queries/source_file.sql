-- The measured file :id.
SELECT f.id, f.path, o.word AS origin FROM line_file f JOIN origin o ON o.id = f.origin WHERE f.id = :id;

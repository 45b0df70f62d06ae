-- A column of a chunk, by its key :id.
SELECT data FROM chunk_column WHERE id = :id;

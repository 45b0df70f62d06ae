-- The columns of chunks that are lists of numbers, and how many each has to hold; NULL: of no chunk.
SELECT d.data, c.n FROM chunk_column d LEFT JOIN chunk c ON c.id = d.id / 32 WHERE d.id % 32 < 31;

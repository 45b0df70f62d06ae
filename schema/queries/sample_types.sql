-- What the samples of a run measure (server/query/functions/sample_types.c).
SELECT name, unit, scale, file_column = -1 AS computed, total, negative, samples, is_default FROM sample_type ORDER BY id

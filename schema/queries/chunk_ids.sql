-- All chunks of slices.
SELECT id FROM chunk;

-- How many slices a chunk has. :id
SELECT n FROM chunk WHERE id = :id;

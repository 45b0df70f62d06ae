-- Number of slices of the chunk :id.
SELECT n FROM chunk WHERE id = :id;

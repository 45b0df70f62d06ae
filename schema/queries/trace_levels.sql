-- The levels of detail of a track, lowest first. :first, :end
SELECT id, bin_ns FROM pyramid WHERE id >= :first AND id < :end ORDER BY id;

-- Kinds of slices in a trace: several rows with a bit for each kind (enum ps_slice_kind).
SELECT DISTINCT kinds FROM chunk;

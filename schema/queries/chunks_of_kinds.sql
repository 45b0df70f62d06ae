-- Chunks that have slices of some kinds. :kinds is a bit mask of 1 << enum ps_slice_kind.
SELECT id FROM chunk WHERE kinds & :kinds;

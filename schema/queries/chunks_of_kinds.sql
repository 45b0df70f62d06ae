-- Chunks with slices of some kinds. :kinds: 1 << enum ps_slice_kind of each
SELECT id FROM chunk WHERE kinds & :kinds;

-- Which kinds of slices a trace has: a bit each (enum ps_slice_kind), several rows.
SELECT DISTINCT kinds FROM chunk;

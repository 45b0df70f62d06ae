-- First and last time of a memory curve.
SELECT min(t_s), max(t_s) FROM memory_sample;

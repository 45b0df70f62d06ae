-- Span of a memory curve.
SELECT min(t_s), max(t_s) FROM memory_sample;

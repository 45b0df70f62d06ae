-- First and last time of a memory curve, and the mean interval of the samples of the main process.
SELECT min(t_s), max(t_s),
       (max(t_s) FILTER (WHERE process IS NULL) - min(t_s) FILTER (WHERE process IS NULL)) /
       nullif(count(*) FILTER (WHERE process IS NULL) - 1, 0)
FROM memory_sample;

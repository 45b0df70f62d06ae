-- Whether the slices of a trace are rows of samples and not calls, whether calls are missing, and whether XLA recorded it
-- without a step.
SELECT coalesce(json_extract(v, '$.sampled'), 0), coalesce(json_extract(v, '$.incomplete'), 0),
       coalesce((SELECT t.v FROM meta t WHERE t.k = 'tool') = 'XLA profiler', 0) AND NOT EXISTS (SELECT 1 FROM step)
FROM meta WHERE k = 'summary';

-- Whether a sampling profiler wrote the dump: counts of calls are samples.
SELECT coalesce(json_extract(v, '$.sampled'), 0) FROM meta WHERE k = 'summary';

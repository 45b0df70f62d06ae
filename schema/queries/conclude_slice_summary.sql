-- Whether the slices of a trace are rows of samples and not calls, and whether calls are missing.
SELECT coalesce(json_extract(v, '$.sampled'), 0), coalesce(json_extract(v, '$.incomplete'), 0) FROM meta WHERE k = 'summary';

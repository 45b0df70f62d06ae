-- What the numbers of a function profile are: whether a sampling profiler wrote it, so that counts of calls are samples,
-- and whether own times include waits that overlap, so that they exceed the time that passed.
SELECT coalesce(json_extract(v, '$.sampled'), 0), coalesce(json_extract(v, '$.overlapped_s') > 0, 0) FROM meta WHERE k = 'summary';

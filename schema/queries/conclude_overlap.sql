-- Whether own times of a function profile include waits that overlap, so that they exceed the time that passed.
SELECT 1 FROM meta WHERE k = 'summary' AND json_extract(v, '$.overlapped_s') > 0;

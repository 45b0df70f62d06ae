-- Bytes of all run files, originals and sources.
SELECT coalesce(sum(CASE what WHEN 'all' THEN db_bytes ELSE bytes END), 0) FROM tally WHERE what IN ('all', 'kept');

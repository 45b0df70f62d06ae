-- Labels of samples: their id, and as the answer has them, their key, what they do, number of values, number of samples.
SELECT id, key, nullif(unit, '') AS unit, CASE role WHEN 0 THEN 'summed' WHEN 1 THEN 'thread' ELSE 'divides' END AS role, n_values, samples
FROM sample_label ORDER BY id

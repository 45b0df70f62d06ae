-- What Scalene found of memory: the peak in bytes, and the line that most likely leaks: file, path, line, likelihood (0..1)
-- and the MiB that it allocates a second: a leak grows by this at most. (The "velocity" in the file is the size of one
-- allocation, divided by the time of the run.) If none leaks, the line that allocates the most, with likelihood 0. Last: its
-- share of what is allocated (0..1). NULL: no line.
SELECT json_extract(m.v, '$.peak_mib') * 1048576, l.file, f.path, l.line, coalesce(l.leak_likelihood, 0),
       l.malloc_mib / nullif(json_extract(m.v, '$.elapsed_s'), 0),
       l.malloc_mib / (SELECT nullif(total(malloc_mib), 0) FROM line WHERE NOT of_function)
FROM meta m
LEFT JOIN (SELECT * FROM line WHERE NOT of_function AND (leak_likelihood > 0 OR malloc_mib > 0)
           ORDER BY leak_likelihood DESC, malloc_mib DESC, rowid LIMIT 1) l ON 1
LEFT JOIN line_file f ON f.id = l.file
WHERE m.k = 'summary' AND json_extract(m.v, '$.peak_mib') > 0;

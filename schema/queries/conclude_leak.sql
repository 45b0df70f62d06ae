-- What Scalene found of memory: the peak in bytes, and the line that most likely leaks: file, path, line, likelihood
-- (0..1) and MB a second; NULL: none.
SELECT json_extract(m.v, '$.peak_mib') * 1048576, l.file, f.path, l.line, l.leak_likelihood, l.leak_mib_s
FROM meta m
LEFT JOIN (SELECT * FROM line WHERE NOT of_function AND leak_likelihood > 0
           ORDER BY leak_likelihood DESC, leak_mib_s DESC, rowid LIMIT 1) l ON 1
LEFT JOIN line_file f ON f.id = l.file
WHERE m.k = 'summary' AND json_extract(m.v, '$.peak_mib') > 0;

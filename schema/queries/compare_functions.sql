-- Functions of cProfile dumps and printed tables, for comparison. If a run has several printed tables, only that
-- of the longest profile; its times have three decimals. Header keys: see compare_imports.sql.
--
-- title: Functions
-- row: function
-- place: file
-- metric: tottime_s s adds Self time
-- metric: cumtime_s s - Total time
-- metric: ncalls - adds Calls
-- metric: samples - - Samples
-- budget: cumtime_s
-- whole: tottime_s SELECT max(v) FILTER (WHERE k = 'headline_value') FROM meta HAVING max(v = 'tottime') FILTER (WHERE k = 'headline_label')
-- work: calls SELECT sum(f.ncalls) FROM function f, meta m WHERE f.listed AND m.k = 'summary' AND NOT coalesce(json_extract(m.v, '$.sampled'), 0)
-- cut: SELECT coalesce(listed_of > last - first + 1, 0) FROM report r ORDER BY coalesce(seconds, (SELECT total(tottime_s) FROM function WHERE id BETWEEN r.first AND r.last)) DESC, last - first DESC, id LIMIT 1
-- calls: tottime_s ncalls
-- calls: cumtime_s primitive_calls
-- has: * SELECT EXISTS (SELECT 1 FROM function)
-- has: ncalls SELECT NOT coalesce(json_extract(v, '$.sampled'), 0) AND EXISTS (SELECT 1 FROM function WHERE ncalls IS NOT NULL) FROM meta WHERE k = 'summary'
-- has: samples SELECT coalesce(json_extract(v, '$.sampled'), 0) FROM meta WHERE k = 'summary'
-- resolution: tottime_s SELECT 0.001 * coalesce(json_extract(v, '$.rounded'), 0) FROM meta WHERE k = 'summary'
-- resolution: cumtime_s SELECT 0.001 * coalesce(json_extract(v, '$.rounded'), 0) FROM meta WHERE k = 'summary'
SELECT f.id, f.name, l.path AS place, f.line, f.tottime_s, f.cumtime_s, f.ncalls, f.ncalls AS samples, f.primitive_calls
FROM function f
JOIN file l ON l.id = f.file
LEFT JOIN (
-- include: longest_report
) r
WHERE f.listed AND f.id BETWEEN coalesce(r.first, f.id) AND coalesce(r.last, f.id)

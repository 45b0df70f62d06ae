-- Functions of a pstats dump, with the sort keys and directions of pstats (Lib/pstats.py). Header keys: see
-- imports.sql.
--
-- column: id: number of the function
-- column: file, line number, name, origin: where the function is defined
-- column: ncalls number?, primitive_calls number?: calls, and calls that were not recursive
-- column: tottime_s number, tot_percall_s number?: self time; self time / ncalls
-- column: cumtime_s number, cum_percall_s number?: cumulative time; cumulative time / primitive_calls
-- column: cycle number?: number of the recursive cycle it belongs to, or null
-- column: listed: 1: the file lists the function itself, not only as a caller
-- column: stdname string: the name as pstats prints it
-- sort: cumulative desc cumtime_s
-- sort: cumtime_s desc cumtime_s
-- sort: time desc tottime_s
-- sort: tottime desc tottime_s
-- sort: tottime_s desc tottime_s
-- sort: calls desc ncalls
-- sort: ncalls desc ncalls
-- sort: pcalls desc primitive_calls
-- sort: primitive_calls desc primitive_calls
-- sort: tot_percall_s desc tot_percall_s
-- sort: cum_percall_s desc cum_percall_s
-- sort: filename asc file
-- sort: file asc file, line
-- sort: line asc line
-- sort: name asc name
-- sort: nfl asc name, file, line
-- sort: stdname asc stdname
-- sort: origin asc origin
-- sort: id asc id
-- sum: tottime_s sum(tottime_s)
-- sum: ncalls sum(ncalls)
-- sum: primitive_calls sum(primitive_calls)
-- of: SELECT count(*) FROM function WHERE listed
-- rows: by-id
SELECT f.id, l.path AS file, f.line, f.name, o.word AS origin, f.ncalls, f.primitive_calls,
       f.tottime_s, 1.0 * f.tottime_s / nullif(f.ncalls, 0) AS tot_percall_s,
       f.cumtime_s, 1.0 * f.cumtime_s / nullif(f.primitive_calls, 0) AS cum_percall_s,
       nullif(f.cycle, 0) AS cycle, f.listed,
       CASE WHEN l.path = '~' AND f.line = 0 AND f.name LIKE '<%>' THEN '{' || substr(f.name, 2, length(f.name) - 2) || '}'
            ELSE l.path || ':' || f.line || '(' || f.name || ')' END AS stdname
FROM function f
JOIN file l ON l.id = f.file
JOIN origin o ON o.id = f.origin
WHERE f.id BETWEEN coalesce(:row, :first_id, 0) AND coalesce(:row, :last_id, 9223372036854775807)
  AND (:row IS NOT NULL OR f.listed)
  AND (:q IS NULL OR ps_words(:q, f.name, l.path))
  AND (:regex IS NULL OR f.name REGEXP :regex OR l.path REGEXP :regex)
  AND (:hide IS NULL OR NOT (f.name REGEXP :hide OR l.path REGEXP :hide))
  AND (:origin IS NULL OR instr(:origin, ',' || o.word || ','))
  AND (:file IS NULL OR l.path = :file)

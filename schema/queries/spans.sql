-- Function calls on a memory curve. Header keys: see imports.sql.
--
-- column: id, name: number and name of the function
-- column: start_s number, end_s number, start_mib, end_mib: times of the start and the end of the call, and the memory at these times
-- column: level: depth of the call
-- sort: start_s asc start_s
-- sort: name asc name
-- sort: duration desc end_s - start_s
-- sort: increase desc end_mib - start_mib
-- of: SELECT count(*) FROM span
SELECT id, name, start_s, end_s, start_mib, end_mib, level
FROM span
WHERE (:q IS NULL OR ps_words(:q, name)) AND (:regex IS NULL OR name REGEXP :regex)

-- Steps of a trace; a range selects the steps that begin in it. Header keys: see imports.sql.
--
-- column: id, worker, name, start_ns: of the step
-- column: duration_ns number: until the end of its last kernel
-- column: host_ns number: of the annotation
-- column: counted: 1: it counts for means
-- sort: id asc id
-- sort: start_ns asc start_ns
-- sort: duration_ns desc duration_ns
-- sort: host_ns desc host_ns
-- sort: name asc name
-- sort: worker asc worker, start_ns
-- sum: duration_ns sum(duration_ns)
-- sum: mean_ns avg(duration_ns)
-- of: SELECT count(*) FROM step
SELECT id, worker, name, start_ns, end_ns - start_ns AS duration_ns, host_end_ns - host_start_ns AS host_ns, counted
FROM step
WHERE (:q IS NULL OR ps_words(:q, name))
  AND (:regex IS NULL OR name REGEXP :regex)
  AND (:hide IS NULL OR NOT name REGEXP :hide)
  AND (:from_ns IS NULL OR start_ns >= CAST(:from_ns AS INTEGER))
  AND (:to_ns IS NULL OR start_ns < CAST(:to_ns AS INTEGER))

-- The steps of the scheduler of a serving run. Header keys: see imports.sql.
--
-- column: id, number, name: number in the order of their start; number that the engine gives; name of the annotation in the trace
-- column: start_ns, duration_ns number: of the step
-- column: gap_ns number?: time since the end of the step before; null for the first
-- column: step: the same step in the table `step` of the trace, 0: none
-- column: context_requests, context_tokens, generation_requests, generation_tokens: requests in prefill and in decode, and their tokens
-- column: running, waiting: requests in the engine during the step
-- sort: id asc id
-- sort: number asc number
-- sort: name asc name
-- sort: start_ns asc start_ns
-- sort: duration_ns desc duration_ns
-- sort: gap_ns desc gap_ns
-- sort: context_requests desc context_requests
-- sort: context_tokens desc context_tokens
-- sort: generation_requests desc generation_requests
-- sort: generation_tokens desc generation_tokens
-- sort: running desc running
-- sort: waiting desc waiting
-- sum: duration_ns sum(duration_ns)
-- sum: mean_ns avg(duration_ns)
-- of: SELECT count(*) FROM engine_step
SELECT id, number, name, start_ns, end_ns - start_ns AS duration_ns,
       start_ns - (SELECT p.end_ns FROM engine_step p WHERE p.id = s.id - 1) AS gap_ns, step,
       context_requests, context_tokens, generation_requests, generation_tokens, running, waiting
FROM engine_step s
WHERE (:q IS NULL OR ps_words(:q, name))
  AND (:regex IS NULL OR name REGEXP :regex)
  AND (:hide IS NULL OR NOT name REGEXP :hide)
  AND (:from_ns IS NULL OR start_ns >= CAST(:from_ns AS INTEGER))
  AND (:to_ns IS NULL OR start_ns < CAST(:to_ns AS INTEGER))

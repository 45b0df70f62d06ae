-- The requests of a serving run, with the parts of their time to the first token (server/query/requests/rows.c).
-- Header keys: see imports.sql.
--
-- column: id, name: number in the order of their start, and id of the request; an empty name is unknown
-- column: result, position: result of a client, 0: only the engine knows the request; row in the file of the client, from 0, or -1
-- column: state, error: 0 completed, 1 failed, 2 cancelled, 3 unfinished; message of the client
-- column: start_ns number?: when the client sent it, or else when the engine received it
-- column: ttft_ns number?, is_engine_ttft number: time to the first token, as the client states it; 1: as the engine does
-- column: to_engine_ns number?, in_step_ns number?, slot_ns number?, budget_ns number?: parts of `ttft_ns` with the causes `to engine`, `step in progress`, `slot` and `budget`
-- column: others_ns number?, between_ns number?, prefill_ns number?, to_client_ns number?: those with `others`, `between steps`, `prefill`, and `to client` or `outside`
-- column: cause string?: cause of the largest part
-- column: tpot_ns number?, latency_ns: time per output token, and time to the end, as the client states them
-- column: longest_gap_ns number?, gap_step number?: longest time between two tokens, and the step that made the second of them
-- column: prompt_tokens, output_tokens, engine_prompt_tokens, engine_output_tokens, cached_tokens: as the client and as the engine count them
-- column: is_estimated: 1: the times of the engine were matched by lengths and order
-- sort: id asc id
-- sort: name asc name
-- sort: state desc state
-- sort: start_ns asc start_ns
-- sort: ttft_ns desc ttft_ns
-- sort: to_engine_ns desc to_engine_ns
-- sort: in_step_ns desc in_step_ns
-- sort: slot_ns desc slot_ns
-- sort: budget_ns desc budget_ns
-- sort: others_ns desc others_ns
-- sort: between_ns desc between_ns
-- sort: prefill_ns desc prefill_ns
-- sort: to_client_ns desc to_client_ns
-- sort: cause asc cause
-- sort: tpot_ns desc tpot_ns
-- sort: latency_ns desc latency_ns
-- sort: longest_gap_ns desc longest_gap_ns
-- sort: prompt_tokens desc prompt_tokens
-- sort: output_tokens desc output_tokens
-- sort: engine_prompt_tokens desc engine_prompt_tokens
-- sort: engine_output_tokens desc engine_output_tokens
-- sort: cached_tokens desc cached_tokens
-- sum: mean_ttft_ns avg(ttft_ns)
-- sum: max_ttft_ns max(ttft_ns)
-- of: SELECT count(*) FROM request
SELECT r.id, r.name, r.result, r.position, r.state, r.error, coalesce(r.start_ns, r.arrival_ns) AS start_ns,
       t.ttft_ns, r.ttft_ns IS NULL AND t.ttft_ns IS NOT NULL AS is_engine_ttft,
       t.to_engine_ns, t.in_step_ns, t.slot_ns, t.budget_ns, t.others_ns, t.between_ns, t.prefill_ns, t.to_client_ns,
       CASE t.cause WHEN 0 THEN 'to engine' WHEN 1 THEN 'step in progress' WHEN 2 THEN 'slot' WHEN 3 THEN 'budget' WHEN 4 THEN 'others'
                    WHEN 5 THEN 'between steps' WHEN 6 THEN 'prefill' WHEN 7 THEN 'to client' WHEN 8 THEN 'outside' END AS cause,
       r.tpot_ns, r.latency_ns, t.longest_gap_ns, t.gap_step,
       r.prompt_tokens, r.output_tokens, r.engine_prompt_tokens, r.engine_output_tokens, r.cached_tokens, r.is_estimated
FROM ps_temp_requests t JOIN request r ON r.id = t.id
WHERE (:q IS NULL OR ps_words(:q, r.name, r.error))
  AND (:regex IS NULL OR r.name REGEXP :regex OR r.error REGEXP :regex)
  AND (:hide IS NULL OR NOT r.name REGEXP :hide)
  AND (:state IS NULL OR r.state = CAST(:state AS INTEGER))
  AND (:result IS NULL OR r.result = CAST(:result AS INTEGER))
  AND (:late_ns IS NULL OR t.ttft_ns > CAST(:late_ns AS INTEGER))

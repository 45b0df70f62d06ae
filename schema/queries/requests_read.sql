-- All requests of a run, in the order of their ids.
SELECT id, result, state, start_ns, arrival_ns, scheduled_ns, first_token_ns, last_token_ns, end_ns, ttft_ns, latency_ns, tpot_ns,
       coalesce(engine_prompt_tokens, prompt_tokens)
FROM request ORDER BY id;

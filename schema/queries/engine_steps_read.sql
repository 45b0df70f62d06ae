-- All steps of the scheduler, in the order of their ids.
SELECT id, number, step, start_ns, end_ns, context_requests, context_tokens, generation_requests, generation_tokens, running, waiting
FROM engine_step ORDER BY id;

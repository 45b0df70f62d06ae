-- Requests of clients in the order of their load and of their start: see server/query/compare/request_times.c.
WITH gaps AS (SELECT request, max(gap_ns) AS longest FROM ps_token_gaps GROUP BY request)
SELECT r.id, r.result, r.position, r.name, r.state, r.prompt_tokens, r.start_ns, r.arrival_ns, r.scheduled_ns, r.first_token_ns,
       r.ttft_ns, gaps.longest, r.latency_ns, r.tpot_ns
FROM request r LEFT JOIN gaps ON gaps.request = r.id
WHERE r.result > 0
ORDER BY r.result, r.id

-- Requests of clients by result: see server/query/requests/goodput.c.
SELECT r.result, r.state, r.ttft_ns,
       CASE WHEN r.output_tokens > 1 THEN coalesce(r.tpot_ns, (r.latency_ns - r.ttft_ns) * 1.0 / (r.output_tokens - 1)) WHEN r.output_tokens >= 0 THEN 0
            ELSE r.tpot_ns END, r.latency_ns, r.start_ns, coalesce(r.end_ns, r.start_ns + r.latency_ns)
FROM request r WHERE r.result > 0 ORDER BY r.result, r.id

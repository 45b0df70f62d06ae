-- What JAX compiled while XLA's profiler recorded: calls, time in ns, span of the trace in ns. No row: nothing.
SELECT sum(o.calls), sum(o.cpu_total_ns), (SELECT json_extract(v, '$.span_ns') FROM meta WHERE k = 'summary')
FROM ps_operators(NULL, NULL, 0) o JOIN text n ON n.id = o.name
WHERE n.text LIKE 'backend\_compile%' ESCAPE '\' AND (SELECT v FROM meta WHERE k = 'tool') = 'XLA profiler'
HAVING sum(o.calls);

-- The span of all events of a trace in ns, which is its headline if no steps are marked.
SELECT json_extract(v, '$.span_ns') FROM meta WHERE k = 'summary';

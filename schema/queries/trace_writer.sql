-- The tool that wrote a trace, and whether its buffer was full, so that calls are missing.
SELECT coalesce((SELECT v FROM meta WHERE k = 'tool'), ''),
       coalesce((SELECT json_extract(iif(json_valid(v), v, NULL), '$.overflow') FROM meta WHERE k = 'header.viztracer_metadata'), 0);

-- Whether the lines of frames are those of the `def` of their function, not those that ran; the least text id of
-- frames in which a thread does not run (ST_IDLE of importers/stacks/stacks.h), or 0; the number of samples, and
-- the seconds that were sampled, if they are known: flameprof and export_stacks convert exact times; the percentage
-- of the samples that were taken too late; whether the profiler records all threads; the percentage of the time that the
-- garbage collector ran.
SELECT coalesce(json_extract(v, '$.def_lines'), 0), coalesce(json_extract(v, '$.idle_texts'), 0),
       CASE WHEN h.unit = 'samples' THEN h.value WHEN h.tool = 'py-spy' THEN json_extract(v, '$.samples') END,
       CASE WHEN h.unit = 's' AND h.tool NOT IN ('flameprof', 'torch export_stacks') THEN h.value END,
       coalesce(json_extract(v, '$.late_pct'), 0), h.tool <> 'pyinstrument',
       CASE WHEN h.unit = 's' THEN coalesce(100.0 * json_extract(v, '$.gc_s') / h.value, 0) ELSE 0 END
FROM meta, (SELECT coalesce(max(v) FILTER (WHERE k = 'headline_unit'), '') AS unit,
                   coalesce(max(v) FILTER (WHERE k = 'tool'), '') AS tool,
                   max(v) FILTER (WHERE k = 'headline_value') AS value FROM meta) h
WHERE k = 'summary';

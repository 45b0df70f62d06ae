-- Whether the lines of frames are those of the `def` of their function, not those that ran; and the least text id
-- of frames in which a thread does not run (ST_IDLE of importers/stacks/stacks.h), or 0.
SELECT coalesce(json_extract(v, '$.def_lines'), 0), coalesce(json_extract(v, '$.idle_texts'), 0)
FROM meta WHERE k = 'summary';

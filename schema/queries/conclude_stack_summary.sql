-- Whether the lines of frames are those of the `def` of their function, not those that ran.
SELECT coalesce(json_extract(v, '$.def_lines'), 0) FROM meta WHERE k = 'summary';

-- Functions or lines of stacks (server/query/functions/stack_functions.c), in the unit of the run and in percent of
-- all its stacks, for comparison. The line of a `def` moves when the file changes, so names are without it. Header
-- keys: see compare_imports.sql.
--
-- title: Functions
-- row: function
-- metric: self @headline adds Self
-- metric: total @headline - Total
-- metric: self_pct % adds Self, of all stacks
-- metric: total_pct % - Total, of all stacks
-- budget: total
-- work: samples SELECT max(v) FILTER (WHERE k = 'headline_value') FROM meta HAVING max(v = 'samples') FILTER (WHERE k = 'headline_unit')
SELECT l.name AS id, coalesce(iif(l.by_line = 1, n.text, ps_frame_function(n.text)), '') AS name, l.self / u.scale AS self, l.total / u.scale AS total,
       100.0 * l.self / u.whole AS self_pct, 100.0 * l.total / u.whole AS total_pct
FROM ps_temp_functions l
JOIN (SELECT nullif((SELECT sum(self) FROM ps_temp_functions), 0) AS whole,
             CASE (SELECT v FROM meta WHERE k = 'headline_unit')
             WHEN 's' THEN 1e9
             ELSE coalesce((SELECT json_extract(v, '$.value_scale') FROM meta WHERE k = 'summary'), 1) * 1.0 END AS scale) u
LEFT JOIN text n ON n.id = l.name

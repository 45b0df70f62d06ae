-- Functions of stacks as they are compared (lent, server/query/functions/stack_functions.c: c0 name c3 self c4 total), in the unit of the run and in
-- percent of all its stacks. For the head's words see compare_imports.sql.
--
-- title: Functions
-- row: function
-- metric: self @headline adds Self
-- metric: total @headline - Total
-- metric: self_pct % adds Self, of all stacks
-- metric: total_pct % - Total, of all stacks
-- budget: total
SELECT l.c0 AS id, coalesce(n.text, '') AS name, l.c3 / u.scale AS self, l.c4 / u.scale AS total,
       100.0 * l.c3 / u.whole AS self_pct, 100.0 * l.c4 / u.whole AS total_pct
FROM ps_temp_rows l
JOIN (SELECT nullif((SELECT sum(c3) FROM ps_temp_rows), 0) AS whole,
             CASE (SELECT v FROM meta WHERE k = 'headline_unit')
             WHEN 's' THEN 1e9
             ELSE coalesce((SELECT json_extract(v, '$.value_scale') FROM meta WHERE k = 'summary'), 1) * 1.0 END AS scale) u
LEFT JOIN text n ON n.id = l.c0

-- Functions or lines of stacks (server/query/functions/stack_functions.c), in their unit and in percent of
-- all its stacks, for comparison. pyinstrument leaves out calls with less than 1 %; a drawing lacks frames that are narrower
-- than a tenth of a pixel, and one sample of 10,000 is not. The line of a `def` moves when the file changes, so names are without it. Header
-- keys: see compare_imports.sql.
--
-- title: Functions
-- row: function
-- metric: self @stacks adds Self
-- metric: total @stacks - Total
-- metric: self_pct % adds Self, of all stacks
-- metric: total_pct % - Total, of all stacks
-- budget: total
-- recorded: SELECT EXISTS (SELECT 1 FROM track) OR NOT EXISTS (SELECT 1 FROM line)
-- cut: SELECT CASE v WHEN 'flamegraph-svg' THEN (SELECT 1e-4 * (total(v) > 10000) FROM meta WHERE k = 'headline_value') WHEN 'folded' THEN 0 ELSE 0.01 * EXISTS (SELECT 1 FROM text WHERE text = '[calls left out]') END FROM meta WHERE k = 'kind'
-- work: samples SELECT max(v) FILTER (WHERE k = 'headline_value') FROM meta HAVING max(v = 'samples') FILTER (WHERE k = 'headline_unit')
SELECT l.name AS id, coalesce(iif(l.by_line = 1, n.text, ps_frame_function(n.text)), '') AS name, l.self / :scale AS self, l.total / :scale AS total,
       100.0 * l.self / w.whole AS self_pct, 100.0 * l.total / w.whole AS total_pct
FROM ps_temp_functions l
JOIN (SELECT nullif((SELECT sum(self) FROM ps_temp_functions), 0) AS whole) w
LEFT JOIN text n ON n.id = l.name

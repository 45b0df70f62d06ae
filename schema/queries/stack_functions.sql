-- Functions of stacks (server/query/functions/stack_functions.c lends c0 name c1 family c2 slices c3 self c4 total c5 stands for several c6 first start).
-- self, total: ns, or what the run counts times its value_scale. A total counts a stack once. For the head's words see imports.sql.
--
-- sort: self desc self
-- sort: total desc total
-- sort: self_pct desc self
-- sort: total_pct desc total
-- sort: name asc name
-- sort: family asc family, name
-- sort: slices desc slices
-- sum: self sum(self)
-- sum: self_pct sum(self_pct)
-- of: SELECT count(*) FROM ps_temp_rows
-- rows: kept
SELECT l.rowid AS id, CASE WHEN l.c5 THEN '_GLOBAL__sub_I_* (C++ static initialisers)' ELSE coalesce(n.text, '') END AS name, l.c0 AS name_id, l.c1 AS family, l.c2 AS slices,
       l.c3 AS self, l.c4 AS total,
       100.0 * l.c3 / nullif((SELECT sum(c3) FROM ps_temp_rows), 0) AS self_pct,
       100.0 * l.c4 / nullif((SELECT sum(c3) FROM ps_temp_rows), 0) AS total_pct,
       l.c6 AS first_ns
FROM ps_temp_rows l LEFT JOIN text n ON n.id = l.c0
WHERE (:q IS NULL OR ps_words(:q, coalesce(n.text, '')))
  AND (:regex IS NULL OR coalesce(n.text, '') REGEXP :regex)
  AND (:hide IS NULL OR NOT coalesce(n.text, '') REGEXP :hide)

-- Functions of stacks (server/query/functions/stack_functions.c). grouped: the row sums several functions.
-- self, total: in ns, or in the unit of the run times its value_scale. A total counts a stack once. Header
-- keys: see imports.sql.
--
-- column: id number, name string, name_id number, family number: of the function; `family` 7: native code
-- column: slices number: number of its slices
-- column: self number, total number: in ns, or in the unit of the run times its `value_scale`. The total counts a stack once, even if it contains the function several times
-- column: self_pct number?, total_pct number?: percent of all stacks
-- column: first_ns number: start of the first
-- sort: self desc self
-- sort: total desc total
-- sort: self_pct desc self
-- sort: total_pct desc total
-- sort: name asc name
-- sort: family asc family, name
-- sort: slices desc slices
-- sum: self sum(self)
-- sum: self_pct sum(self_pct)
-- of: SELECT count(*) FROM ps_temp_functions
-- rows: cached
SELECT l.rowid AS id, CASE WHEN l.grouped THEN '_GLOBAL__sub_I_* (C++ static initialisers)' ELSE coalesce(n.text, '') END AS name, l.name AS name_id, l.family, l.slices,
       l.self, l.total,
       100.0 * l.self / nullif((SELECT sum(self) FROM ps_temp_functions), 0) AS self_pct,
       100.0 * l.total / nullif((SELECT sum(self) FROM ps_temp_functions), 0) AS total_pct,
       l.first_ns
FROM ps_temp_functions l LEFT JOIN text n ON n.id = l.name
WHERE (:q IS NULL OR ps_words(:q, coalesce(n.text, '')))
  AND (:regex IS NULL OR coalesce(n.text, '') REGEXP :regex)
  AND (:hide IS NULL OR NOT coalesce(n.text, '') REGEXP :hide)

-- Functions of stacks (server/query/functions/stack_functions.c). grouped: the row sums several functions.
-- collapsed: the row is a file (1) or a package (2), named by that of the function name_id. whole: all stacks.
-- self, total: in ns, or in the unit of the run times its value_scale. A total counts a stack once. Header
-- keys: see imports.sql.
--
-- column: id number, name string, name_id number, family number: of the function; `family` 7: native code
-- column: origin number: 0 own, 1 third-party, 2 standard library, 3 native or built-in, 4 unknown
-- column: slices number: number of stretches: samples in a row with this function below the same callers count as one
-- column: self number, total number: in ns, or in the unit of the run times its `value_scale`. The total counts a stack once, even if it contains the function several times
-- column: self_pct number?, total_pct number?: percent of all stacks that are selected and that the transforms leave
-- column: first_ns number: start of the first, in the selected range
-- column: collapsed number: 1: all functions in the file of `name_id`, 2: in its package, because `tf` collapses them; else 0
-- sort: self desc self
-- sort: total desc total
-- sort: self_pct desc self
-- sort: total_pct desc total
-- sort: name asc name
-- sort: family asc family, name
-- sort: origin asc origin, name
-- sort: slices desc slices
-- sum: self sum(self)
-- sum: self_pct sum(self_pct)
-- of: SELECT count(*) FROM ps_temp_functions
-- rows: cached
SELECT l.id, l.name, l.name_id, l.family, l.origin, l.slices, l.self, l.total,
       100.0 * l.self / nullif(l.whole, 0) AS self_pct, 100.0 * l.total / nullif(l.whole, 0) AS total_pct,
       l.first_ns, l.collapsed
FROM (SELECT f.rowid AS id, f.name AS name_id, f.family, f.origin, f.slices, f.self, f.total, f.first_ns, f.collapsed, f.whole,
             CASE WHEN f.grouped THEN '_GLOBAL__sub_I_* (C++ static initialisers)'
                  WHEN f.collapsed THEN coalesce(ps_frame_group(n.text, f.collapsed = 2), '')
                  WHEN f.by_line THEN coalesce(n.text, '')
                  ELSE coalesce(ps_frame_function(n.text), '') END AS name
      FROM ps_temp_functions f LEFT JOIN text n ON n.id = f.name) l
WHERE (:q IS NULL OR ps_words(:q, l.name))
  AND (:regex IS NULL OR l.name REGEXP :regex)
  AND (:hide IS NULL OR NOT l.name REGEXP :hide)

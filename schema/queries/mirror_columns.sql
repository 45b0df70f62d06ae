-- The columns of :tbl; pk: position in the primary key, from 1; 0: not in it.
SELECT name, pk FROM pragma_table_info(:tbl) ORDER BY cid;

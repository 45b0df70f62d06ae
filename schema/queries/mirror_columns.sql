-- The columns of :tbl; pk: 1 and up for those of its primary key.
SELECT name, pk FROM pragma_table_info(:tbl) ORDER BY cid;

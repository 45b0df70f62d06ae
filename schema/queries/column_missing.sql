-- Whether there is a table :tbl without a column :column.
SELECT count(*) FROM pragma_table_info(:tbl) HAVING count(*) > 0 AND sum(name = :column) = 0;

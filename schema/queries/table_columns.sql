-- The columns of the table :name: name, declared type, whether it is NOT NULL, its place in the primary key from 1.
SELECT name, type, "notnull", pk FROM pragma_table_info(:name) ORDER BY cid;

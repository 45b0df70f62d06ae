-- Memory by category, in file order: a row for each change of a category.
SELECT t_s, kind, mib FROM memory_sample ORDER BY rowid;

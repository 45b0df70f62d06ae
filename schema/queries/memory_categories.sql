-- Memory by category, in the order of the file: a row where a category changes.
SELECT t_s, kind, mib FROM memory_sample ORDER BY rowid;

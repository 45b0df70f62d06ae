-- Peaks of the categories of a memory timeline, for comparison. Header keys: see compare_imports.sql.
--
-- title: Categories
-- row: category
-- metric: peak_mib MiB - Peak
SELECT kind AS name, max(mib) AS peak_mib FROM memory_sample GROUP BY kind

-- Marked functions of a memory recording, for comparison. Header keys: see compare_imports.sql.
--
-- title: Marked functions
-- row: function
-- metric: rise_mib MiB - Rise
-- metric: duration_s s - Duration
-- recorded: SELECT EXISTS (SELECT 1 FROM span)
SELECT name, total(end_mib - start_mib) AS rise_mib, total(end_s - start_s) AS duration_s FROM span GROUP BY name

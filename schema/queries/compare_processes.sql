-- Peak memory of the processes of a recording, for comparison; child processes are matched by their order.
-- Header keys: see compare_imports.sql.
--
-- title: Processes
-- row: process
-- metric: peak_mib MiB - Peak
SELECT CASE WHEN process IS NULL THEN 'main' ELSE 'child ' || dense_rank() OVER (ORDER BY process) END AS name, max(mib) AS peak_mib
FROM memory_sample
GROUP BY process

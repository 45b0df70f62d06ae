-- Peak memory of the processes of a recording as it is compared; children by their order. For the lines of the head see compare_imports.sql.
--
-- title: Processes
-- row: process
-- metric: peak_mib MiB - Peak
SELECT CASE WHEN process IS NULL THEN 'main' ELSE 'child ' || dense_rank() OVER (ORDER BY process) END AS name, max(mib) AS peak_mib
FROM memory_sample
GROUP BY process

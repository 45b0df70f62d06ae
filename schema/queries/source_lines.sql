-- All measurements of the lines of the file :id. The first five columns have values for all profilers; the reader
-- finds out which other columns have values.
SELECT l.line, l.function, l.block, l.source, l.samples,
       l.hits, l.ticks, l.mem_mib, l.increment_mib, l.occurrences, l.cpu_python_pct, l.cpu_native_pct, l.cpu_system_pct, l.gpu_pct,
       l.gpu_avg_mib, l.gpu_peak_mib, l.avg_mib, l.peak_mib, l.malloc_mib, l.mallocs, l.growth_mib, l.usage_fraction, l.python_fraction,
       l.copy_mib_s, l.core_utilization, l.leak_likelihood, l.leak_mib_s, 100 * l.leak_likelihood AS leak_pct,
       CASE WHEN l.leak_likelihood > 0 THEN l.malloc_mib / (SELECT nullif(json_extract(v, '$.elapsed_s'), 0) FROM meta WHERE k = 'summary') END
           AS leak_most_mib_s
FROM line l
WHERE l.rowid BETWEEN (SELECT min(first_row) FROM line_sum WHERE file = :id) AND (SELECT max(last_row) FROM line_sum WHERE file = :id)
  AND l.file = :id AND NOT l.of_function
ORDER BY l.line, l.function, l.block, l.rowid;

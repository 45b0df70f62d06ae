-- Runs that may have measured source lines, newest first.
SELECT id, kind, name, created_at FROM run WHERE kind IN ('line_profiler', 'memory_profiler', 'scalene', 'pstats') ORDER BY seq DESC LIMIT :limit;

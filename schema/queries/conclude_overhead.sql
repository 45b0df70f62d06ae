-- The own time of the profiler itself in s, added over all threads.
SELECT total(self_cpu_ns) / 1e9 FROM ps_operators(NULL, NULL, 0) WHERE kind = 5;

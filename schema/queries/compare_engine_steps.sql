-- Steps of the scheduler in the order of their start.
SELECT start_ns, end_ns, running FROM engine_step ORDER BY start_ns, id

-- The longest time that a device waited for the host.
SELECT start_ns, end_ns FROM gap WHERE cause = 0 ORDER BY end_ns - start_ns DESC, start_ns LIMIT 1;

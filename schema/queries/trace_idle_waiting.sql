-- Time in which the devices were idle because the host, not waiting for data, had not launched more work yet.
SELECT coalesce(json_extract(v, '$.host_wait_idle_ns'), 0) FROM meta WHERE k = 'summary';

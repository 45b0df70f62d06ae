-- Idle time of the devices (ns, summed) because the host had not launched more work, without waiting for data.
SELECT coalesce(json_extract(v, '$.host_wait_idle_ns'), 0) FROM meta WHERE k = 'summary';

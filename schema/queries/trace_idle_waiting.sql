-- How long nothing ran on the devices while the host, which was not waiting for data, had yet to launch the next thing.
SELECT coalesce(json_extract(v, '$.host_wait_idle_ns'), 0) FROM meta WHERE k = 'summary';

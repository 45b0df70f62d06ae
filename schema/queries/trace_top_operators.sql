-- Operators with the most own device time, if there is any; else those with the most own CPU time.
--
-- column: self_cpu_us number, cpu_total_us number, self_device_us number, device_total_us number: times
SELECT n.text AS name, o.name AS name_id, o.kind, o.family, o.calls,
       o.self_cpu_ns / 1000.0 AS self_cpu_us, o.cpu_total_ns / 1000.0 AS cpu_total_us,
       o.self_device_ns / 1000.0 AS self_device_us, o.device_total_ns / 1000.0 AS device_total_us
FROM operator o JOIN text n ON n.id = o.name
WHERE NOT o.by_shape AND o.kind IN (0, 1, 2, 4)
ORDER BY o.self_device_ns DESC, o.self_cpu_ns DESC LIMIT 10;

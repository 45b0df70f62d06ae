-- Kernels, copies and sets with the most time.
--
-- column: total_us number, mean_us number: time on the device, in total and per call
SELECT n.text AS name, o.name AS name_id, o.kind, o.family, o.calls, o.self_device_ns / 1000.0 AS total_us,
       o.self_device_ns / 1000.0 / o.calls AS mean_us
FROM operator o JOIN text n ON n.id = o.name
WHERE NOT o.by_shape AND o.kind BETWEEN 6 AND 8 AND o.calls > 0
ORDER BY o.self_device_ns DESC LIMIT 10;

-- Kernels of a range by time on the device: with :communication collectives, else all others.
SELECT n.text, o.calls, o.self_device_ns
FROM ps_operators(:from, :to, 0) o JOIN text n ON n.id = o.name
WHERE o.kind = 6 AND (o.family = 6) = :communication AND o.self_device_ns > 0 ORDER BY o.self_device_ns DESC, n.text;

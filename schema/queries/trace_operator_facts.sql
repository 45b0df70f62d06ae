-- key_averages() of a range, with names.
SELECT n.text, o.name, o.kind, o.calls, o.self_cpu_ns, o.cpu_total_ns, o.self_device_ns, o.max_ns
FROM ps_operators(:from, :to, 0) o JOIN text n ON n.id = o.name;

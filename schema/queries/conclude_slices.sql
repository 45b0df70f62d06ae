-- Slices of a range by name, by self time.
SELECT n.text, o.calls, o.self_cpu_ns, o.max_ns
FROM ps_operators(:from, :to, 0) o JOIN text n ON n.id = o.name
WHERE o.self_cpu_ns > 0 ORDER BY o.self_cpu_ns DESC, n.text;

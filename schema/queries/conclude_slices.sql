-- Slices of a range by name: name, calls, self time in s, the sum of all self times, and what shares are of.
SELECT n.text, o.calls, o.self_cpu_ns / 1e9, sum(o.self_cpu_ns) OVER () / 1e9, 'of the traced time'
FROM ps_operators(:from, :to, 0) o JOIN text n ON n.id = o.name
WHERE o.self_cpu_ns > 0 ORDER BY o.self_cpu_ns DESC, n.text;

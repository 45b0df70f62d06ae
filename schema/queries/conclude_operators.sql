-- Operators of the host in a range by self CPU time; without the marks of steps and the waits for data.
SELECT n.text, o.calls, o.self_cpu_ns
FROM ps_operators(:from, :to, 0) o JOIN text n ON n.id = o.name
WHERE o.kind IN (1, 2) AND o.self_cpu_ns > 0 AND n.text NOT LIKE 'ProfilerStep%' AND n.text NOT LIKE 'enumerate(DataLoader)%'
ORDER BY o.self_cpu_ns DESC, n.text;

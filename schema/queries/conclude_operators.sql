-- Operators of the host in a range by self CPU time, with :annotations also annotations; without the marks of steps
-- and the waits for data.
SELECT n.text, o.calls, o.self_cpu_ns
FROM ps_operators(:from, :to, 0) o JOIN text n ON n.id = o.name
WHERE (o.kind = 1 OR (o.kind = 2 AND :annotations)) AND o.self_cpu_ns > 0
  AND n.text NOT LIKE 'ProfilerStep%' AND n.text NOT LIKE 'enumerate(DataLoader)%'
ORDER BY o.self_cpu_ns DESC, n.text;

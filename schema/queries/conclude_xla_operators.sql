-- Operators of XLA and work of devices in a range by own time, without collectives: name, calls, own time in ns, that of
-- all of them.
SELECT n.text, sum(o.calls), sum(iif(o.kind = 1, o.self_cpu_ns, o.self_device_ns)) AS ns,
       sum(sum(iif(o.kind = 1, o.self_cpu_ns, o.self_device_ns))) OVER ()
FROM ps_operators(:from, :to, 0) o JOIN text n ON n.id = o.name
WHERE (o.kind = 1 OR o.kind BETWEEN 6 AND 8) AND o.family <> 6
GROUP BY n.text ORDER BY ns DESC, n.text;

-- Operators of a printed key_averages() table, for comparison. If a run has several tables, only the table with
-- the most rows; a table by shape or stack only if there is no other. Its whole is the printed total, or that which the printed
-- share of the largest row gives. Rows are missing if they do not add up to the printed total, or may be if there are as many as
-- table() prints by default. A time is printed with three decimals of its own unit; the resolution is that of the longest
-- time. Header keys: see
-- compare_imports.sql.
--
-- title: Operators
-- row: operator
-- place: input shapes
-- metric: self_device_us us adds Self device time
-- metric: self_cpu_us us adds Self CPU time
-- metric: cpu_total_us us - CPU time
-- metric: calls - adds Calls
-- budget: cpu_total_us
-- whole: self_device_us SELECT coalesce(nullif(r.device_seconds, 0) * 1e6, (SELECT 0.1 * self_device_ns / self_device_pct FROM printed_operator WHERE id BETWEEN r.first AND r.last AND self_device_pct >= 1 ORDER BY self_device_pct DESC LIMIT 1)) FROM report r ORDER BY by <> '', last - first DESC, id LIMIT 1
-- whole: self_cpu_us SELECT coalesce(nullif(r.seconds, 0) * 1e6, (SELECT 0.1 * self_cpu_ns / self_cpu_pct FROM printed_operator WHERE id BETWEEN r.first AND r.last AND self_cpu_pct >= 1 ORDER BY self_cpu_pct DESC LIMIT 1)) FROM report r ORDER BY by <> '', last - first DESC, id LIMIT 1
-- work: calls SELECT sum(p.calls) FROM (SELECT first, last FROM report ORDER BY by <> '', last - first DESC, id LIMIT 1) r JOIN printed_operator p ON p.id BETWEEN r.first AND r.last
-- cut: SELECT last - first + 1 = 100 OR coalesce(1e9 * seconds > (SELECT 1.001 * total(self_cpu_ns) FROM printed_operator WHERE id BETWEEN r.first AND r.last), 0) FROM report r ORDER BY by <> '', last - first DESC, id LIMIT 1
-- calls: self_device_us calls
-- calls: self_cpu_us calls
-- calls: cpu_total_us calls
-- has: self_device_us SELECT coalesce(max(self_device_ns), 0) > 0 FROM printed_operator
-- resolution: self_device_us SELECT CASE WHEN v >= 1e9 THEN 1000 WHEN v >= 1e6 THEN 1 ELSE 0.001 END FROM (SELECT max(self_device_ns) AS v FROM printed_operator)
-- resolution: self_cpu_us SELECT CASE WHEN v >= 1e9 THEN 1000 WHEN v >= 1e6 THEN 1 ELSE 0.001 END FROM (SELECT max(self_cpu_ns) AS v FROM printed_operator)
-- resolution: cpu_total_us SELECT CASE WHEN v >= 1e9 THEN 1000 WHEN v >= 1e6 THEN 1 ELSE 0.001 END FROM (SELECT max(cpu_total_ns) AS v FROM printed_operator)
SELECT p.id, p.name, replace(p.shapes, ', ', ',') AS place, p.self_device_ns / 1000.0 AS self_device_us, p.self_cpu_ns / 1000.0 AS self_cpu_us,
       p.cpu_total_ns / 1000.0 AS cpu_total_us, p.calls
FROM (SELECT first, last FROM report ORDER BY by <> '', last - first DESC, id LIMIT 1) r
JOIN printed_operator p ON p.id BETWEEN r.first AND r.last

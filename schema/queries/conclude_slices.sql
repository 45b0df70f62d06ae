-- Slices of a range, or of the counted steps, by name: name, calls, self time in s, what shares are of in s, and in
-- words. Shares are of the steps unless threads work side by side for longer than the steps take. Without marks of
-- steps, all slices count.
WITH marked AS (
    SELECT worker, start_ns, end_ns FROM step WHERE counted AND name <> 'whole trace'),
work AS (
    SELECT n.text AS name, o.calls, o.self_cpu_ns AS ns, sum(o.self_cpu_ns) OVER () AS all_ns
    FROM ps_operators((SELECT :from FROM marked LIMIT 1), (SELECT :to FROM marked LIMIT 1), 0, (SELECT 1 FROM marked LIMIT 1)) o
    JOIN text n ON n.id = o.name
    WHERE o.self_cpu_ns > 0 AND n.text NOT GLOB '$profiler.py:* st*_trace'), -- of jax.profiler: no cause
steps AS (SELECT sum(end_ns - start_ns) AS ns FROM marked)
SELECT w.name, w.calls, w.ns / 1e9, iif(s.ns >= w.all_ns, s.ns, w.all_ns) / 1e9,
       CASE WHEN s.ns >= w.all_ns THEN 'of the steps' WHEN s.ns THEN 'of the work in the steps' ELSE 'of the recorded work' END
FROM work w, steps s ORDER BY w.ns DESC, w.name;

-- One row per worker, with sums of its steps and devices. name and rank are from the file of the worker; NULL
-- if it does not state them.
--
-- column: worker number, name string?, rank number?: worker, name and rank in its file; null if the file does not contain them
-- column: steps number, span_ns number?, step_ns number?: number of its counted steps, time from the first to the last, and mean duration
-- column: busy number?: share of the time in which a kernel ran, 0 to 1
-- column: communication_ns number?, overlap_pct number?: communication, and the percentage of it that overlaps computation
WITH w(worker) AS (SELECT worker FROM process UNION SELECT worker FROM step),
     s AS (SELECT worker, count(*) AS n, max(end_ns) - min(start_ns) AS span_ns, total(end_ns - start_ns) / count(*) AS step_ns
           FROM step WHERE counted GROUP BY worker),
     d AS (SELECT worker, total(busy_ns) / nullif(total(span_ns), 0) AS busy, CAST(total(communication_ns) AS INTEGER) AS communication_ns,
                  100.0 * total(overlap_ns) / nullif(total(communication_ns), 0) AS overlap_pct
           FROM device GROUP BY worker)
SELECT w.worker,
       (SELECT v FROM meta WHERE k = 'worker.' || w.worker || '.name') AS name,
       coalesce((SELECT CAST(v AS INTEGER) FROM meta WHERE k = 'worker.' || w.worker || '.rank'),
                (SELECT CASE WHEN json_valid(v) THEN json_extract(v, '$.rank') END FROM meta
                 WHERE k = 'header.distributedInfo' AND w.worker = 0)) AS rank,
       coalesce(s.n, 0) AS steps, s.span_ns, s.step_ns, d.busy, d.communication_ns, d.overlap_pct
FROM w LEFT JOIN s ON s.worker = w.worker LEFT JOIN d ON d.worker = w.worker ORDER BY w.worker;

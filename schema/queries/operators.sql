-- key_averages() of torch, for the complete run or for a range. Header keys: see imports.sql; `rows: cached`
-- means that all rows are computed at once and cached for further pages.
-- :on: annotations on a stream (kind 10) contain the time of device work, so they are not device work themselves.
-- gflops_s: floating point operations divided by the time on the device, or else by the time on the host.
--
-- column: id number, name string, name_id number, kind number, family number: of the operator
-- column: input_shapes: null without `by_shape=1`
-- column: calls number
-- column: self_cpu_us number, cpu_total_us number, cpu_mean_us number: wall-clock time on the host without and with the operators that it called, and the mean of a call; torch prints the first two as Self CPU and CPU total
-- column: self_cpu_pct number?: percent of the sum of all self times on the host
-- column: self_device_us number?, device_total_us number?: time on devices
-- column: self_device_pct number?: percent of the sum of the self device times of host rows
-- column: self_cpu_bytes number?, cpu_bytes number?, self_device_bytes number?, device_bytes number?: memory
-- column: flops number?, gflops_s number?: FLOPs, and FLOPs over the device time, or over the time on the host if there is no device time; operators that it called are included
-- column: min_us number, max_us number, first_ns number: shortest and longest call, and start of the first call
-- sort: self_device_us desc self_device_us, self_cpu_us
-- sort: self_cpu_us desc self_cpu_us
-- sort: cpu_total_us desc cpu_total_us
-- sort: cpu_mean_us desc cpu_mean_us
-- sort: device_total_us desc device_total_us
-- sort: self_cpu_pct desc self_cpu_us
-- sort: self_device_pct desc self_device_us
-- sort: calls desc calls
-- sort: name asc name, input_shapes
-- sort: input_shapes asc input_shapes, name
-- sort: kind asc kind, name
-- sort: family asc family, name
-- sort: self_cpu_bytes desc self_cpu_bytes
-- sort: cpu_bytes desc cpu_bytes
-- sort: self_device_bytes desc self_device_bytes
-- sort: device_bytes desc device_bytes
-- sort: flops desc flops
-- sort: gflops_s desc gflops_s
-- sort: min_us asc min_us
-- sort: max_us desc max_us
-- sort: first_ns asc first_ns
-- sum: calls sum(calls)
-- sum: self_cpu_us sum(self_cpu_us)
-- sum: self_device_us sum(self_device_us)
-- sum: self_cpu_pct sum(self_cpu_pct)
-- sum: self_device_pct sum(self_device_pct)
-- sum: self_cpu_bytes sum(self_cpu_bytes)
-- sum: self_device_bytes sum(self_device_bytes)
-- sum: flops sum(flops)
-- of: SELECT count(*) FROM operator WHERE NOT by_shape AND (kind <> 5 OR NOT EXISTS (SELECT 1 FROM meta WHERE k = 'kind' AND v IN ('trace', 'nsys', 'xla-trace')))
-- rows: cached
SELECT * FROM (
    SELECT o.rowid AS id, coalesce(n.text, '') AS name, o.name AS name_id, h.text AS input_shapes, o.kind, o.family, o.calls,
           o.self_cpu_ns / 1000.0 AS self_cpu_us, o.cpu_total_ns / 1000.0 AS cpu_total_us,
           o.cpu_total_ns / 1000.0 / o.calls AS cpu_mean_us,
           100.0 * o.self_cpu_ns / nullif(sum(o.self_cpu_ns) OVER (), 0) AS self_cpu_pct, -- of all rows of the range
           o.self_device_ns / 1000.0 AS self_device_us, o.device_total_ns / 1000.0 AS device_total_us,
           100.0 * o.self_device_ns / nullif(sum(o.self_device_ns) FILTER (WHERE o.kind NOT BETWEEN 6 AND 11) OVER (), 0) AS self_device_pct,
           o.self_cpu_bytes, o.cpu_bytes, o.self_device_bytes, o.device_bytes, o.flops,
           CASE WHEN o.flops > 0 THEN 1.0 * o.flops / nullif(CASE WHEN o.device_total_ns > 0 THEN o.device_total_ns ELSE o.cpu_total_ns END, 0) END AS gflops_s,
           o.min_ns / 1000.0 AS min_us, o.max_ns / 1000.0 AS max_us, o.first_start_ns AS first_ns
    FROM ps_operators(CAST(:from_ns AS INTEGER), CAST(:to_ns AS INTEGER), coalesce(CAST(:by_shape AS INTEGER), 0), NULL, :tracks) o
    LEFT JOIN text n ON n.id = o.name
    LEFT JOIN text h ON h.id = o.shapes)
WHERE (:q IS NULL OR ps_words(:q, name))
  AND (:regex IS NULL OR name REGEXP :regex)
  AND (:hide IS NULL OR NOT name REGEXP :hide)
  AND (:on IS NULL OR CASE WHEN kind = 10 THEN 'annotation' WHEN kind BETWEEN 6 AND 11 THEN 'device' ELSE 'host' END = :on)

-- Operators of printed key_averages() tables, with shapes in the format of traces. Header keys: see
-- imports.sql.
--
-- column: id, name, name_id, overload, input_shapes string?, source: of the operator, as printed; `source` is null unless rows are grouped by stack
-- column: cut: 1: the printer shortened the name
-- column: kind number, family, calls: `kind` is always 1
-- column: self_cpu_us number?, cpu_total_us number?, cpu_mean_us number?, self_cpu_pct, cpu_total_pct: CPU time
-- column: self_device_us number?, device_total_us number?, device_mean_us number?, self_device_pct: time on devices
-- column: self_cpu_bytes, cpu_bytes, self_device_bytes, device_bytes: memory
-- column: flops, gflops_s number?: as of a [trace's operators](api-traces.md)
-- sort: self_cpu_us desc self_cpu_us
-- sort: id asc id
-- sort: self_device_us desc self_device_us, self_cpu_us
-- sort: cpu_total_us desc cpu_total_us
-- sort: cpu_mean_us desc cpu_mean_us
-- sort: device_total_us desc device_total_us
-- sort: device_mean_us desc device_mean_us
-- sort: self_cpu_pct desc self_cpu_pct
-- sort: cpu_total_pct desc cpu_total_pct
-- sort: self_device_pct desc self_device_pct
-- sort: calls desc calls
-- sort: name asc name, input_shapes
-- sort: input_shapes asc input_shapes, name
-- sort: source asc source, name
-- sort: family asc family, name
-- sort: self_cpu_bytes desc self_cpu_bytes
-- sort: cpu_bytes desc cpu_bytes
-- sort: self_device_bytes desc self_device_bytes
-- sort: device_bytes desc device_bytes
-- sort: flops desc flops
-- sort: gflops_s desc gflops_s
-- sum: calls sum(calls)
-- sum: self_cpu_us sum(self_cpu_us)
-- sum: self_device_us sum(self_device_us)
-- of: SELECT count(*) FROM printed_operator
SELECT * FROM (
    SELECT id, name, id AS name_id, overload, replace(shapes, ', ', ',') AS input_shapes, source, cut, 1 AS kind, family, calls,
           self_cpu_ns / 1000.0 AS self_cpu_us, cpu_total_ns / 1000.0 AS cpu_total_us, cpu_mean_ns / 1000.0 AS cpu_mean_us,
           self_cpu_pct, cpu_total_pct,
           self_device_ns / 1000.0 AS self_device_us, device_total_ns / 1000.0 AS device_total_us, device_mean_ns / 1000.0 AS device_mean_us,
           self_device_pct, self_cpu_bytes, cpu_bytes, self_device_bytes, device_bytes, flops,
           CASE WHEN flops > 0 THEN 1.0 * flops / nullif(CASE WHEN device_total_ns > 0 THEN device_total_ns ELSE cpu_total_ns END, 0) END AS gflops_s
    FROM printed_operator
    WHERE id BETWEEN coalesce(:first_id, 0) AND coalesce(:last_id, 9223372036854775807))
WHERE (:q IS NULL OR ps_words(:q, name))
  AND (:regex IS NULL OR name REGEXP :regex)
  AND (:hide IS NULL OR NOT name REGEXP :hide)

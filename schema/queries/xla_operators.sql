-- Operators of XLA by program, for the complete run or for a range, summed over devices and over the threads that share
-- their work; with the work of devices that names no operator. Header keys: see imports.sql.
--
-- column: id number, name string, name_id number, kind number, family number: of the operator
-- column: program string?: the compiled program (HLO module) that has the operator
-- column: category string?, scope string?: HLO category, and the place in the user's program; null: not in the file
-- column: calls number
-- column: self_us number, total_us number, mean_us number: without and with the operators inside; the mean of a call, with them
-- column: self_pct number?: percent of the sum of all self times
-- column: wait_us number: waiting for another device or thread inside of the operator, which is part of the total time only
-- column: flops number?, bytes number?: floating point operations and bytes accessed of all calls; null: not in the file
-- column: gflops_s number?, gbytes_s number?: these over the total time
-- column: min_us number, max_us number, first_ns number: shortest and longest call, and start of the first call
-- column: threads number, devices number: that ran it; devices: 0: not in the file
-- sort: self_us desc self_us
-- sort: total_us desc total_us
-- sort: mean_us desc mean_us
-- sort: self_pct desc self_us
-- sort: wait_us desc wait_us
-- sort: calls desc calls
-- sort: name asc name, program
-- sort: program asc program, name
-- sort: category asc category, name
-- sort: scope asc scope, name
-- sort: kind asc kind, name
-- sort: family asc family, name
-- sort: flops desc flops
-- sort: bytes desc bytes
-- sort: gflops_s desc gflops_s
-- sort: gbytes_s desc gbytes_s
-- sort: min_us asc min_us
-- sort: max_us desc max_us
-- sort: first_ns asc first_ns
-- sort: threads desc threads
-- sort: devices desc devices
-- sum: calls sum(calls)
-- sum: self_us sum(self_us)
-- sum: self_pct sum(self_pct)
-- sum: wait_us sum(wait_us)
-- sum: flops sum(flops)
-- sum: bytes sum(bytes)
-- of: SELECT count(*) FROM ps_temp_xla_operators
-- rows: cached
SELECT * FROM (
    SELECT o.rowid AS id, coalesce(n.text, '') AS name, o.name AS name_id, o.kind, o.family,
           p.text AS program, c.text AS category, s.text AS scope, o.calls,
           o.self_ns / 1000.0 AS self_us, o.total_ns / 1000.0 AS total_us, o.total_ns / 1000.0 / o.calls AS mean_us,
           100.0 * o.self_ns / nullif((SELECT sum(self_ns) FROM ps_temp_xla_operators), 0) AS self_pct,
           o.wait_ns / 1000.0 AS wait_us, o.flops, o.bytes,
           1.0 * o.flops / nullif(o.total_ns, 0) AS gflops_s, 1.0 * o.bytes / nullif(o.total_ns, 0) AS gbytes_s,
           o.min_ns / 1000.0 AS min_us, o.max_ns / 1000.0 AS max_us, o.first_ns, o.threads, o.devices
    FROM ps_temp_xla_operators o
    LEFT JOIN text n ON n.id = o.name
    LEFT JOIN text p ON p.id = o.program
    LEFT JOIN text c ON c.id = o.category
    LEFT JOIN text s ON s.id = o.scope)
WHERE (:q IS NULL OR ps_words(:q, name) OR ps_words(:q, coalesce(program, '')) OR ps_words(:q, coalesce(scope, '')))
  AND (:regex IS NULL OR name REGEXP :regex)
  AND (:hide IS NULL OR NOT name REGEXP :hide)

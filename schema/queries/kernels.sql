-- Kernels, copies and sets by name, device and stream; with :launch also by operator and launch parameters.
-- For the complete run or for a range. Header keys: see imports.sql.
--
-- column: id number, name string, name_id number, kind number, device number, stream number, family number: identity of the kernel, copy or set
-- column: calls number, total_us number, mean_us number, min_us number, max_us number
-- column: pct number?: percent of the sum of all device work in the range
-- column: blocks_per_sm number?, occupancy_pct number?: as the profiler recorded them
-- column: tensor_core number?: 1: the kernel uses Tensor Cores; null: its name does not say
-- column: first_ns number: start of the first call
-- column: operator, grid string?, block string?, registers number?, shared_bytes number?: null without `launch=1`, which makes one row for each combination of them
-- sort: total_us desc total_us
-- sort: calls desc calls
-- sort: mean_us desc mean_us
-- sort: min_us asc min_us
-- sort: max_us desc max_us
-- sort: pct desc total_us
-- sort: name asc name
-- sort: kind asc kind, name
-- sort: device asc device, stream
-- sort: stream asc stream, device
-- sort: family asc family, name
-- sort: blocks_per_sm desc blocks_per_sm
-- sort: occupancy_pct desc occupancy_pct
-- sort: tensor_core desc tensor_core
-- sort: first_ns asc first_ns
-- sort: operator asc operator, name
-- sort: grid asc grid
-- sort: block asc block
-- sort: registers desc registers
-- sort: shared_bytes desc shared_bytes
-- sum: calls sum(calls)
-- sum: total_us sum(total_us)
-- sum: pct sum(pct)
-- of: SELECT count(*) FROM operator WHERE NOT by_shape AND kind BETWEEN 6 AND 8
-- rows: cached
WITH k AS MATERIALIZED (
    SELECT rowid AS id, * FROM ps_kernels(CAST(:from_ns AS INTEGER), CAST(:to_ns AS INTEGER), coalesce(CAST(:launch AS INTEGER), 0), NULL, :tracks))
SELECT * FROM (
    SELECT k.id, coalesce(n.text, '') AS name, k.name AS name_id, k.kind, k.device, k.stream, k.family, k.calls,
           k.total_ns / 1000.0 AS total_us, k.total_ns / 1000.0 / k.calls AS mean_us,
           k.min_ns / 1000.0 AS min_us, k.max_ns / 1000.0 AS max_us,
           100.0 * k.total_ns / nullif((SELECT sum(total_ns) FROM k), 0) AS pct, -- of all device work in the range
           k.blocks_per_sm, k.occupancy_pct, k.tensor_core, k.first_ns,
           o.text AS operator, k.grid, k.block, k.registers, k.shared_bytes
    FROM k
    LEFT JOIN text n ON n.id = k.name
    LEFT JOIN text o ON o.id = k.operator)
WHERE (:q IS NULL OR ps_words(:q, name))
  AND (:regex IS NULL OR name REGEXP :regex)
  AND (:hide IS NULL OR NOT name REGEXP :hide)
  AND (:device IS NULL OR device = CAST(:device AS INTEGER))
  AND (:stream IS NULL OR stream = CAST(:stream AS INTEGER))

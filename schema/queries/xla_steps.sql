-- Steps of a trace of XLA, and what each is spent on; a range selects the steps that begin in it. Header keys: see
-- imports.sql.
--
-- column: id, worker, name, start_ns: of the step
-- column: duration_us number: of its mark
-- column: operators_us number, collectives_us number: while operators run, and while only collectives do
-- column: programs_us number: while a program runs, but no operator that was recorded
-- column: compilation_us number, transfers_us number, dispatch_us number: while no program runs: compiling, moving values, starting programs
-- column: waiting_us number, outside_us number: the program waits for XLA, and does other work
-- column: until_next_us number?: from its end to the start of the next step; null: of the last one
-- sort: id asc id
-- sort: start_ns asc start_ns
-- sort: duration_us desc duration_us
-- sort: operators_us desc operators_us
-- sort: collectives_us desc collectives_us
-- sort: programs_us desc programs_us
-- sort: compilation_us desc compilation_us
-- sort: transfers_us desc transfers_us
-- sort: dispatch_us desc dispatch_us
-- sort: waiting_us desc waiting_us
-- sort: outside_us desc outside_us
-- sort: until_next_us desc until_next_us
-- sort: name asc name
-- sort: worker asc worker, start_ns
-- sum: duration_us sum(duration_us)
-- sum: mean_us avg(duration_us)
-- sum: deviation_us sqrt(max(sum(duration_us * duration_us) - sum(duration_us) * sum(duration_us) / count(*), 0) / nullif(count(*) - 1, 0))
-- sum: operators_us sum(operators_us)
-- sum: outside_us sum(outside_us)
-- of: SELECT count(*) FROM ps_temp_xla_steps
SELECT s.id, s.worker, s.name, s.start_ns, (s.end_ns - s.start_ns) / 1000.0 AS duration_us,
       t.operators_ns / 1000.0 AS operators_us, t.collectives_ns / 1000.0 AS collectives_us,
       t.programs_ns / 1000.0 AS programs_us, t.compilation_ns / 1000.0 AS compilation_us,
       t.transfers_ns / 1000.0 AS transfers_us, t.dispatch_ns / 1000.0 AS dispatch_us,
       t.waiting_ns / 1000.0 AS waiting_us, t.outside_ns / 1000.0 AS outside_us,
       t.until_next_ns / 1000.0 AS until_next_us
FROM ps_temp_xla_steps t JOIN step s ON s.id = t.id
WHERE (:q IS NULL OR ps_words(:q, s.name))
  AND (:regex IS NULL OR s.name REGEXP :regex)
  AND (:hide IS NULL OR NOT s.name REGEXP :hide)
  AND (:from_ns IS NULL OR s.start_ns >= CAST(:from_ns AS INTEGER))
  AND (:to_ns IS NULL OR s.start_ns < CAST(:to_ns AS INTEGER))

-- The steps of a worker of a trace of XLA in their order: id, start and end in ns.
SELECT id, start_ns, end_ns FROM step WHERE counted AND worker = :worker ORDER BY start_ns, id;

-- The counted steps of a trace: worker, start and end in ns, and whether the file marks the step.
SELECT worker, start_ns, end_ns, name <> 'whole trace' FROM step WHERE counted ORDER BY worker, start_ns;

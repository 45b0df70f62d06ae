-- Number and total time of counted steps, and whether the file marks them.
SELECT count(*), CAST(total(end_ns - start_ns) AS INTEGER), coalesce(max(name <> 'whole trace'), 0) FROM step WHERE counted;

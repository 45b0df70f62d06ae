memory_bounds AS ( -- the first and the last row of each call that memory_profiler printed
    SELECT l.file, l.function, l.block, min(l.rowid) AS first_row, max(l.rowid) AS last_row
    FROM (SELECT 1 FROM line_sum WHERE peak_mib IS NOT NULL LIMIT 1) -- profiles of time have no row here, so that their lines are not read
    CROSS JOIN line l WHERE l.increment_mib IS NOT NULL GROUP BY l.function, l.block
),
memory_block AS (
    SELECT b.*, f.occurrences, coalesce(f.occurrences, 1) AS n,
           CASE WHEN f.occurrences > 1 AND f.increment_mib >= f.mem_mib -- the memory at the start of each call, added up, or of a later call
                THEN (SELECT total(o.increment_mib) FROM line o WHERE o.function = b.function AND o.block = b.block AND o.rowid > b.first_row)
                ELSE l.mem_mib - CASE WHEN f.occurrences > 1 THEN f.increment_mib ELSE f.mem_mib END END AS growth,
           lead(f.occurrences) OVER (PARTITION BY b.function ORDER BY b.first_row) AS next
    FROM memory_bounds b JOIN line f ON f.rowid = b.first_row JOIN line l ON l.rowid = b.last_row
),
memory_call AS ( -- what each call added. The block of a recursive call holds the blocks of its inner calls, which precede it.
    SELECT * FROM memory_block WHERE coalesce(next <= occurrences OR next = 1, 1)
),

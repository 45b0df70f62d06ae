-- Timed rows of an import log with at least :min_total_us, in the order in which they began (parents before
-- children). Ids are from 1 to `rows`.
SELECT id, parent, self_us, cumulative_us, total_us, module, package, (flags >> 1) & 1 AS startup, (SELECT count(*) FROM import) AS rows
FROM import WHERE NOT flags & 1 AND total_us >= :min_total_us ORDER BY start;

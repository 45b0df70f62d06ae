-- Memory of each category of a memory timeline at the time of its peak: name, NULL, bytes, all bytes, and what shares are of.
-- The timeline has a row for each change of a category.
WITH change AS (
    SELECT rowid AS id, t_s, mib - lag(mib, 1, 0) OVER (PARTITION BY kind ORDER BY rowid) AS added FROM memory_sample
), total AS (
    SELECT t_s, max(id) AS id, sum(sum(added)) OVER (ORDER BY t_s) AS mib FROM change GROUP BY t_s
), moment AS (
    SELECT id, mib FROM total ORDER BY mib DESC, t_s LIMIT 1
), latest AS (
    SELECT max(m.rowid) AS id FROM memory_sample m, moment p WHERE m.rowid <= p.id GROUP BY m.kind
)
SELECT m.kind, NULL, m.mib * 1048576, p.mib * 1048576, 'of the peak'
FROM latest l JOIN memory_sample m ON m.rowid = l.id, moment p WHERE m.mib > 0 ORDER BY m.mib DESC, m.kind;

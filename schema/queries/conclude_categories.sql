-- Memory of each category of a memory timeline at the time of its peak: name, NULL, bytes, all bytes, and what shares are of.
WITH moment AS (
    SELECT t_s, sum(mib) AS mib FROM memory_sample GROUP BY t_s ORDER BY mib DESC, t_s LIMIT 1
)
SELECT m.kind, NULL, m.mib * 1048576, p.mib * 1048576, 'of the peak'
FROM moment p JOIN memory_sample m ON m.t_s = p.t_s WHERE m.mib > 0 ORDER BY m.mib DESC, m.kind;

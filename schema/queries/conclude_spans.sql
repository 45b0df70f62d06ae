-- Functions of a memory curve by the memory that their calls added: name, calls, bytes, seconds.
SELECT name, count(*), sum(end_mib - start_mib) * 1048576 AS bytes, sum(end_s - start_s)
FROM span GROUP BY name HAVING bytes > 0 ORDER BY bytes DESC, name LIMIT 20;

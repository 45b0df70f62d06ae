-- Operators of the first printed table: name, calls, self time in s on the device, or else on the CPU, their sum, and what
-- shares are of.
WITH shown AS (
    SELECT o.*, total(o.self_device_ns) OVER () > 0 AS on_device
    FROM report r JOIN printed_operator o ON o.id BETWEEN r.first AND r.last
    WHERE r.id = (SELECT min(id) FROM report)
)
SELECT name, calls, iif(on_device, self_device_ns, self_cpu_ns) / 1e9 AS seconds,
       total(iif(on_device, self_device_ns, self_cpu_ns)) OVER () / 1e9,
       iif(on_device, 'of the device time', 'of the self CPU time')
FROM shown WHERE iif(on_device, self_device_ns, self_cpu_ns) > 0 ORDER BY seconds DESC, id;

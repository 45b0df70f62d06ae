-- The name of the first device that worked.
SELECT name FROM device ORDER BY coalesce(kernels, 0) = 0, worker, device LIMIT 1;

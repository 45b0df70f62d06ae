-- The highest point of the main process between :from and :to.
SELECT t_s, mib FROM memory_sample WHERE t_s BETWEEN :from AND :to AND process IS NULL ORDER BY mib DESC, t_s LIMIT 1;

-- What XLA's profiler says of the first device with facts: its name, peak in TFLOP/s and bandwidth in GB/s; 0: unknown.
SELECT coalesce(json_extract(v, '$.device_type_string'), json_extract(v, '$.device_vendor'), ''),
       coalesce(json_extract(v, '$.peak_teraflops_per_second'), 0),
       coalesce(json_extract(v, '$.peak_hbm_bw_gigabytes_per_second'), json_extract(v, '$.memory_bandwidth') / 1e9, 0)
FROM meta WHERE k LIKE 'header./device:%' AND json_valid(v) AND
      (json_extract(v, '$.peak_hbm_bw_gigabytes_per_second') OR json_extract(v, '$.memory_bandwidth')) ORDER BY k LIMIT 1;

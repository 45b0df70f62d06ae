-- What the rules ask of devices; capability and memory NULL where the file does not say.
SELECT worker, device, name, span_ns, busy_ns, kernel_ns, tensor_core_ns, kernels,
       CASE WHEN json_valid(json) THEN json_extract(json, '$.computeMajor') END,
       CASE WHEN json_valid(json) THEN json_extract(json, '$.totalGlobalMem') END
FROM device ORDER BY worker, device;

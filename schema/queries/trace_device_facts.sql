-- Facts about devices for the rules of findings; capability and memory are NULL if the file does not state
-- them.
SELECT worker, device, name, span_ns, busy_ns, kernel_ns, kernels,
       CASE WHEN json_valid(json) THEN json_extract(json, '$.computeMajor') END,
       CASE WHEN json_valid(json) THEN json_extract(json, '$.totalGlobalMem') END
FROM device ORDER BY worker, device;

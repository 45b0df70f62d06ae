-- Kernels, copies and sets of a trace by name, over all devices and streams, for comparison. Header keys: see
-- compare_imports.sql.
--
-- title: Kernels
-- row: kernel
-- metric: total_us us adds Time on the device
-- metric: calls - adds Calls
-- work: steps SELECT json_extract(v, '$.steps') FROM meta WHERE k = 'summary'
-- calls: total_us calls
-- has: * SELECT EXISTS (SELECT 1 FROM chunk WHERE kinds & 448)
SELECT coalesce(n.text, '') AS name, k.total_ns / 1000.0 AS total_us, k.calls
FROM ps_kernels(NULL, NULL, 0, :in_steps) k
LEFT JOIN text n ON n.id = k.name

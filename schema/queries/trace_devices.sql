-- The devices of a trace.
--
-- column: json: deviceProperties of the file
SELECT worker, device, name, json, span_ns, busy_ns, sm_efficiency, occupancy, kernel_ns, tensor_core_ns, communication_ns, overlap_ns,
       kernels, copies, hta_kernel_time_ns, hta_compute_ns, hta_non_compute_ns, hta_idle_ns
FROM device ORDER BY worker, device;

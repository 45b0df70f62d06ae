-- The devices of a trace.
--
-- column: worker, device, name, json: of the device; `json` are its deviceProperties in the file
-- column: span_ns, busy_ns: from its first to its last work; time in which work runs
-- column: sm_efficiency, occupancy: share of the multiprocessors in use, 0 to 1, and percent; null: unknown
-- column: kernel_ns, tensor_core_ns, communication_ns, overlap_ns: time of kernels, of those with Tensor Cores and of collectives; of collectives beside computation
-- column: kernels, copies: number of kernels; of copies and sets
-- column: hta_kernel_time_ns, hta_compute_ns, hta_non_compute_ns, hta_idle_ns: the breakdown of HTA
SELECT worker, device, name, json, span_ns, busy_ns, sm_efficiency, occupancy, kernel_ns, tensor_core_ns, communication_ns, overlap_ns,
       kernels, copies, hta_kernel_time_ns, hta_compute_ns, hta_non_compute_ns, hta_idle_ns
FROM device ORDER BY worker, device;

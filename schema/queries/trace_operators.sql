-- Operators of the complete run. :by_shape
SELECT name, shapes, kind, family, calls, self_cpu_ns, cpu_total_ns, self_device_ns, device_total_ns, self_cpu_bytes, cpu_bytes,
       self_device_bytes, device_bytes, flops, min_ns, max_ns, first_start_ns, tensor_core
FROM operator WHERE by_shape = :by_shape;

-- Names and times (ns on the device) of all kernels of a trace.
SELECT n.text, o.self_device_ns FROM operator o JOIN text n ON n.id = o.name WHERE NOT o.by_shape AND o.kind = 6;

-- The most that each accelerator held: reserved by torch's allocator where it says so, else allocated.
SELECT device, max(max(allocated, reserved)) FROM ps_memory_events WHERE device_type <> 0 AND device >= 0 GROUP BY device ORDER BY device;

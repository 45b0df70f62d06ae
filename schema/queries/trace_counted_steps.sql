-- The counted steps: on the host, and until the end of their last kernel.
SELECT host_start_ns, host_end_ns, start_ns, end_ns FROM step WHERE counted;

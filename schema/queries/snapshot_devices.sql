-- The devices of a memory snapshot. server/query/snapshot/devices.c reads the columns by position.
SELECT id, number, events, coalesce(first_us, -1), coalesce(last_us, -1), segments, reserved, largest_free, fragmentation, before_count,
       live_before, peak_live, peak_event, live_end, reserved_before, peak_reserved, ooms, oom_event, oom_bytes, oom_free
FROM snapshot_device ORDER BY number, id LIMIT 1024

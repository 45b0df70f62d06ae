-- The device of a memory snapshot that ran out of memory, else the one with the highest peak: number, peak, number of failed
-- allocations, bytes that the first one asked for, bytes that the driver had free, reserved and live bytes at that time, events.
SELECT d.number, d.peak_live, d.ooms, d.oom_bytes, d.oom_free, d.reserved_before + e.reserved, d.live_before + e.live, d.events
FROM snapshot_device d
LEFT JOIN ps_snapshot_events e ON e.device = d.id AND e.event >= d.oom_event AND e.event <= d.oom_event
ORDER BY d.ooms > 0 DESC, d.peak_live DESC, d.number LIMIT 1;

-- Processes of a trace in the order of the timeline.
--
-- column: device number?: the device that it represents; null: a process
SELECT id, pid, name, labels, nullif(device, -1) AS device, worker FROM process ORDER BY sort, id

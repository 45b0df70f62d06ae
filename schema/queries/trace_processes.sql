-- Processes of a trace in the order of the timeline.
SELECT id, pid, name, labels, nullif(device, -1) AS device, worker FROM process ORDER BY sort, id

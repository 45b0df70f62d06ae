-- The annotations of the device with the number :device, by time: time, id and text of the name, whether it is an END.
SELECT coalesce(m.t_us, -1), m.name, t.text, m.ends FROM snapshot_mark m JOIN snapshot_text t ON t.id = m.name
WHERE m.device = :device ORDER BY m.t_us, m.rowid

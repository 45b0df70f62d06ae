-- The notes on the timeline of the run :id, in the order of time.
SELECT id, t_ns, area, text, who, strftime('%Y-%m-%dT%H:%M:%fZ', at / 1000.0, 'unixepoch') AS at
FROM timeline_note WHERE run = :id ORDER BY t_ns, id;

-- Runs that have other notes on their timeline here than in the snapshot `old`.
SELECT o.id, 'kept other notes on its timeline in --to', '--update overwrites them' FROM old.run o JOIN main.run m ON m.id = o.id
WHERE (SELECT json_group_array(json_array(id, t_ns, area, text, who, at)) FROM (SELECT * FROM old.timeline_note WHERE run = o.id ORDER BY id))
    IS NOT (SELECT json_group_array(json_array(id, t_ns, area, text, who, at)) FROM (SELECT * FROM main.timeline_note WHERE run = o.id ORDER BY id));

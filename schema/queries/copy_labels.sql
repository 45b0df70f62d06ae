-- Runs whose labels here differ from those in the snapshot `old`, with the values here.
SELECT id, 'was overwritten; it had ' || substr(labels, 3) FROM (
    SELECT o.id, iif(m.name IS o.name, '', ', the name ' || quote(m.name))
        || iif(m.series IS o.series, '', ', the series ' || quote(m.series)) || iif(m.who IS o.who, '', ', the user ' || quote(m.who)) || iif(m.note IS o.note, '', ', the note ' || quote(m.note))
        || iif((SELECT group_concat(quote(k) || quote(v)) FROM (SELECT k, v FROM old.tag WHERE run = o.id ORDER BY k))
            IS (SELECT group_concat(quote(k) || quote(v)) FROM (SELECT k, v FROM main.tag WHERE run = o.id ORDER BY k)),
            '', ', ' || coalesce((SELECT 'the tags ' || group_concat(k || '=' || v, ' ') FROM (SELECT k, v FROM main.tag WHERE run = o.id ORDER BY k)), 'no tags'))
        || iif((SELECT json_group_array(json_array(id, t_ns, area, text, who, at)) FROM (SELECT * FROM old.timeline_note WHERE run = o.id ORDER BY id))
            IS (SELECT json_group_array(json_array(id, t_ns, area, text, who, at)) FROM (SELECT * FROM main.timeline_note WHERE run = o.id ORDER BY id)),
            '', ', other notes on its timeline') AS labels
    FROM old.run o JOIN main.run m ON m.id = o.id AND m.sha256 = o.sha256
    ORDER BY o.seq)
WHERE labels <> '';

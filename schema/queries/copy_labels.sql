-- Runs whose labels here differ from those in the snapshot `old`, with the values here.
SELECT * FROM (
    SELECT o.id, 'is as there now; before it had' || iif(m.name IS o.name, '', ' the name ' || quote(m.name))
        || iif(m.series IS o.series, '', ' the series ' || quote(m.series)) || iif(m.who IS o.who, '', ' the person ' || quote(m.who)) || iif(m.note IS o.note, '', ' the note ' || quote(m.note))
        || iif((SELECT group_concat(quote(k) || quote(v)) FROM (SELECT k, v FROM old.tag WHERE run = o.id ORDER BY k))
            IS (SELECT group_concat(quote(k) || quote(v)) FROM (SELECT k, v FROM main.tag WHERE run = o.id ORDER BY k)),
            '', ' the tags ' || coalesce((SELECT group_concat(k || '=' || v, ' ') FROM (SELECT k, v FROM main.tag WHERE run = o.id ORDER BY k)), '-')) AS text
    FROM old.run o JOIN main.run m ON m.id = o.id AND m.sha256 = o.sha256
    ORDER BY o.seq)
WHERE text <> 'is as there now; before it had';

-- The label of the run :id, in the format of labels/<id>.json. The keys note and timeline_notes are left out if
-- they are empty, because verify compares the hash with labels from before notes existed.
SELECT CASE notes WHEN '[]' THEN label ELSE json_set(label, '$.timeline_notes', json(notes)) END FROM (
    SELECT CASE note WHEN '' THEN label ELSE json_set(label, '$.note', note) END AS label, notes FROM (
        SELECT note, json_object('name', name, 'series', series, 'who', who, 'created_at', created_at, 'seq', seq,
            'tags', json((SELECT json_group_array(json_array(k, v)) FROM (SELECT k, v FROM tag WHERE run = r.id ORDER BY k))),
            'sources', json((SELECT json_group_array(json_object('path', path, 'sha256', sha256, 'bytes', bytes, 'changed', changed, 'at', at))
                             FROM (SELECT * FROM source WHERE run = r.id ORDER BY path)))) AS label,
            (SELECT json_group_array(json_object('id', id, 't_ns', t_ns, 'area', area, 'text', text, 'who', who, 'at', at))
             FROM (SELECT * FROM timeline_note WHERE run = r.id ORDER BY t_ns, id)) AS notes
        FROM run r
        WHERE id = :id));

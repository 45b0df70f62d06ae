-- The label of the run :id, in the format of labels/<id>.json. The key note is left out if it is empty,
-- because verify compares the hash with labels from before notes existed.
SELECT CASE note WHEN '' THEN label ELSE json_set(label, '$.note', note) END FROM (
    SELECT note, json_object('name', name, 'series', series, 'who', who, 'created_at', created_at, 'seq', seq,
        'tags', json((SELECT json_group_array(json_array(k, v)) FROM (SELECT k, v FROM tag WHERE run = r.id ORDER BY k))),
        'sources', json((SELECT json_group_array(json_object('path', path, 'sha256', sha256, 'bytes', bytes, 'changed', changed, 'at', at))
                         FROM (SELECT * FROM source WHERE run = r.id ORDER BY path)))) AS label
    FROM run r
    WHERE id = :id);

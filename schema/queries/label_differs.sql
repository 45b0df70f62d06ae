-- The names of the fields that differ between the catalog row of the run :id and its last label :label; '' if
-- none. :name and :created_at: name and time of the run when it was published.
SELECT rtrim(iif(name IS coalesce(:label ->> 'name', :name), '', 'name, ') || iif(series IS coalesce(:label ->> 'series', ''), '', 'series, ') ||
    iif(who IS coalesce(:label ->> 'who', ''), '', 'person, ') || iif(note IS coalesce(:label ->> 'note', ''), '', 'note, ') ||
    iif(created_at IS coalesce(:label ->> 'created_at', :created_at), '', 'time, ') ||
    iif((SELECT json_group_array(json_array(k, v)) FROM (SELECT k, v FROM tag WHERE run = r.id ORDER BY k)) IS
        (SELECT json_group_array(json_array(k, v)) FROM (SELECT value ->> 0 AS k, value ->> 1 AS v FROM json_each(:label, '$.tags') ORDER BY 1)),
        '', 'tags, ') ||
    iif((SELECT json_group_array(json_array(path, sha256, bytes, changed, at)) FROM (SELECT * FROM source WHERE run = r.id ORDER BY path)) IS
        (SELECT json_group_array(json_array(value ->> 'path', value ->> 'sha256', value ->> 'bytes', value ->> 'changed', value ->> 'at'))
         FROM (SELECT value FROM json_each(:label, '$.sources') ORDER BY value ->> 'path')), '', 'sources, ') ||
    iif((SELECT json_group_array(json_array(id, t_ns, area, text, who, at)) FROM (SELECT * FROM timeline_note WHERE run = r.id ORDER BY id)) IS
        (SELECT json_group_array(json_array(value ->> 'id', value ->> 't_ns', value ->> 'area', value ->> 'text', value ->> 'who', value ->> 'at'))
         FROM (SELECT value FROM json_each(:label, '$.timeline_notes') ORDER BY value ->> 'id')), '', 'notes on the timeline, '), ', ')
FROM run r WHERE id = :id;

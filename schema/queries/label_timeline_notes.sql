INSERT OR REPLACE INTO timeline_note(run, id, t_ns, area, text, who, at)
SELECT :id, value ->> 'id', value ->> 't_ns', value ->> 'area', value ->> 'text', value ->> 'who', value ->> 'at'
FROM json_each(:label, '$.timeline_notes');

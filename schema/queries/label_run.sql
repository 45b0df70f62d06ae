-- Restores the catalog row of a run from its label. Columns that the label lacks keep their values.
UPDATE run SET name = coalesce(:label ->> 'name', name), series = coalesce(:label ->> 'series', series),
    who = coalesce(:label ->> 'who', who), note = coalesce(:label ->> 'note', note), created_at = coalesce(:label ->> 'created_at', created_at)
WHERE id = :id;

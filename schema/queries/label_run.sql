-- A label back into the catalog. What it does not say stays as it is.
UPDATE run SET name = coalesce(:label ->> 'name', name), series = coalesce(:label ->> 'series', series),
    who = coalesce(:label ->> 'who', who), note = coalesce(:label ->> 'note', note), created_at = coalesce(:label ->> 'created_at', created_at)
WHERE id = :id;

-- When and by whom the run of a label was deleted; no row: it was not.
SELECT :label ->> 'deleted_at', coalesce(:label ->> 'deleted_by', '') WHERE json_valid(:label) AND :label ->> 'deleted_at' IS NOT NULL;

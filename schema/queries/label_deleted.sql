-- The user who deleted the run of a label, and whether the run was a baseline. No row: it was not deleted.
SELECT coalesce(:label ->> 'deleted_by', ''), coalesce(:label ->> 'baseline', 0) WHERE json_valid(:label) AND :label ->> 'deleted_at' IS NOT NULL;

-- The label of a run that is deleted, as labels/<id>.json holds it.
SELECT json_set(:label, '$.deleted_at', :at, '$.deleted_by', :who, '$.baseline', EXISTS (SELECT 1 FROM baseline WHERE run = :id));

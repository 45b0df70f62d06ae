-- Label of a deleted run, in the format of labels/<id>.json.
SELECT json_set(:label, '$.deleted_at', :at, '$.deleted_by', :who, '$.baseline', EXISTS (SELECT 1 FROM baseline WHERE run = :id));

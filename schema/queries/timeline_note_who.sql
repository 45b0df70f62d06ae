-- The user who wrote the note :id of the run :run.
SELECT who FROM timeline_note WHERE run = :run AND id = :id;

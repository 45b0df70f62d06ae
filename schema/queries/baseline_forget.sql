-- The run :id is no baseline any more.
DELETE FROM baseline WHERE run = :id;

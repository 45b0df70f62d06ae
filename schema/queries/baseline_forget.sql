-- Removes the run :id as a baseline.
DELETE FROM baseline WHERE run = :id;

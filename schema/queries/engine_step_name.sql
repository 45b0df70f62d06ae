-- The name of the step :id of the scheduler.
SELECT name FROM engine_step WHERE id = :id;

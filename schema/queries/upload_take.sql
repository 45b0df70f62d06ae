-- Moves the uploads of the crashed session :dead to :session.
UPDATE upload SET session = :session WHERE session = :dead;

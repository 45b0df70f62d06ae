-- What :dead left is :session's now.
UPDATE upload SET session = :session WHERE session = :dead;

-- Stores the state of a job of :session.
UPDATE job SET state = :state, view = :view WHERE id = :id AND session = :session;

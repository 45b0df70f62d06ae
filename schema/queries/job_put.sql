-- What became of a job that is :session's.
UPDATE job SET state = :state, view = :view WHERE id = :id AND session = :session;

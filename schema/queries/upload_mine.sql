-- Whether the upload :id belongs to :session.
SELECT 1 FROM upload WHERE id = :id AND session = :session;

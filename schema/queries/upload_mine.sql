-- Whether :session has the upload :id in hand.
SELECT 1 FROM upload WHERE id = :id AND session = :session;

-- Deletes the saved query :id of :who, or with :any of any user.
DELETE FROM saved_query WHERE id = :id AND (:any OR who = :who);

-- Deletes the note :id of :who, or with :any of any user.
DELETE FROM timeline_note WHERE run = :run AND id = :id AND (:any OR who = :who);

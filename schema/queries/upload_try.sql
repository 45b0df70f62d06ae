-- Counts an attempt to import an upload (:by 1), or takes it back after an orderly stop (:by -1).
UPDATE upload SET tries = tries + :by WHERE id = :id AND session = :session;

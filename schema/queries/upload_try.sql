-- Its import begins (:by 1), or was stopped in good order (:by -1).
UPDATE upload SET tries = tries + :by WHERE id = :id AND session = :session;

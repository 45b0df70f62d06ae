SELECT id, session, state, view, cancel, at FROM job WHERE id = :id;

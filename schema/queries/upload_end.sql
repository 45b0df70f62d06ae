-- Its import has ended, unless another session has it in hand by now. Returns its files.
DELETE FROM upload WHERE id = :id AND session = :session RETURNING file, sources;

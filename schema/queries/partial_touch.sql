-- Somebody adds to it.
UPDATE partial SET at = :at WHERE id = :id AND who = :who RETURNING file;

-- An upload in pieces goes.
DELETE FROM partial WHERE id = :id;

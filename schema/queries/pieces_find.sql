-- How many bytes of an upload in pieces are there.
SELECT bytes FROM partial WHERE id = :id AND who = :who;

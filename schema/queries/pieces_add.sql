-- :bytes more of an upload in pieces are there.
UPDATE partial SET at = :at, bytes = bytes + :bytes WHERE id = :id AND who = :who;

-- Adds :bytes to the received size of a resumable upload.
UPDATE partial SET at = :at, bytes = bytes + :bytes WHERE id = :id AND who = :who;

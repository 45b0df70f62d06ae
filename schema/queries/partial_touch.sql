-- Updates the time of the last activity of a resumable upload.
UPDATE partial SET at = :at WHERE id = :id AND who = :who RETURNING file;

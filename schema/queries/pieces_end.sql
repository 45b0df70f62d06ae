-- Deletes a resumable upload.
DELETE FROM partial WHERE id = :id;

-- Number of bytes received of a resumable upload.
SELECT bytes FROM partial WHERE id = :id AND who = :who;

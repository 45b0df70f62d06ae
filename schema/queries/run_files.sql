-- What each run needs on the disk, the oldest first.
SELECT id, sha256, bytes, db_bytes FROM run ORDER BY seq;

-- Runs that were added before :before (ms since 1970), except baselines.
SELECT seq, id, created_at, db_bytes + bytes, name, series FROM run WHERE created_at < :before AND seq NOT IN (SELECT seq FROM pinned);

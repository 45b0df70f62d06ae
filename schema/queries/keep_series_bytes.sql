-- Like keep_series_runs.sql, but keeps the newest runs up to :limit bytes (run files and uncompressed
-- originals).
SELECT seq, id, created_at, db_bytes + bytes, name, series FROM run WHERE seq IN (
    SELECT seq FROM (
        SELECT seq, sum(db_bytes + bytes) OVER (PARTITION BY series ORDER BY created_at DESC, seq DESC ROWS UNBOUNDED PRECEDING) AS with_newer FROM run
        WHERE series IN (SELECT key FROM tally WHERE what = 'series' AND db_bytes + bytes > :limit
                         AND CASE WHEN :series IS NULL THEN key NOT IN (SELECT value FROM json_each(:named)) ELSE key = :series END)
        AND seq NOT IN (SELECT seq FROM pinned))
    WHERE with_newer > :limit);

-- The runs of the series :series, without the newest :limit. :series NULL: of each series that is not in
-- :named, a JSON array. The condition on tally excludes series with fewer runs.
SELECT seq, id, created_at, db_bytes + bytes, name, series FROM run WHERE seq IN (
    SELECT seq FROM (
        SELECT seq, row_number() OVER (PARTITION BY series ORDER BY created_at DESC, seq DESC) AS nth FROM run
        WHERE series IN (SELECT key FROM tally WHERE what = 'series' AND runs > :limit
                         AND CASE WHEN :series IS NULL THEN key NOT IN (SELECT value FROM json_each(:named)) ELSE key = :series END)
        AND seq NOT IN (SELECT seq FROM pinned))
    WHERE nth > :limit);

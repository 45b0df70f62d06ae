-- All runs except baselines, oldest first, each with whether it and all newer runs exceed :limit bytes (with
-- their unmodified originals). Callers read up to the first run that does not; the sums are computed while
-- reading.
SELECT seq, id, created_at, size, name, series,
       (SELECT db_bytes + bytes FROM tally WHERE what = 'all') - (SELECT coalesce(sum(db_bytes + bytes), 0) FROM run WHERE seq IN (SELECT seq FROM pinned))
           - older > :limit
FROM (SELECT *, db_bytes + bytes AS size, sum(db_bytes + bytes) OVER (ORDER BY created_at, seq ROWS UNBOUNDED PRECEDING) - db_bytes - bytes AS older
      FROM (SELECT seq, id, created_at, db_bytes, bytes, name, series FROM run WHERE seq NOT IN (SELECT seq FROM pinned)));

-- All runs except baselines, oldest first, and whether a run and all newer runs together exceed :limit bytes. A
-- run counts with its run file and its uncompressed original. Callers stop reading at the first run that does not
-- exceed the limit; SQLite computes the sums while they read.
SELECT seq, id, created_at, size, name, series,
       (SELECT db_bytes + bytes FROM tally WHERE what = 'all') - (SELECT coalesce(sum(db_bytes + bytes), 0) FROM run WHERE seq IN (SELECT seq FROM pinned))
           - older > :limit
FROM (SELECT *, db_bytes + bytes AS size, sum(db_bytes + bytes) OVER (ORDER BY created_at, seq ROWS UNBOUNDED PRECEDING) - db_bytes - bytes AS older
      FROM (SELECT seq, id, created_at, db_bytes, bytes, name, series FROM run WHERE seq NOT IN (SELECT seq FROM pinned)));

-- The first warnings of the ledger, and the number of all.
SELECT n.what, count(*) OVER () FROM note n WHERE n.severity = 1 ORDER BY n.id LIMIT 3;

-- How many runs rules may delete now: a tenth of the shelf within an hour, and as many as came on it since :since, less what they did.
SELECT (n + removed + 9) / 10 + arrived - removed
FROM (SELECT (SELECT count(*) FROM run) AS n,
             (SELECT count(*) FROM removal_log WHERE at > :hour AND who LIKE '--keep %') AS removed,
             (SELECT count(DISTINCT run) FROM import_log WHERE at > max(:hour, :since) AND run IS NOT NULL) AS arrived);

-- Number of runs that retention rules may delete now: a tenth of the shelf per hour, plus the runs added
-- after :since in the last hour (after :hour), minus the runs that the rules have deleted in the last hour.
SELECT (n + removed + 9) / 10 + arrived - removed
FROM (SELECT (SELECT count(*) FROM run) AS n,
             (SELECT count(*) FROM removal_log WHERE at > :hour AND who LIKE '--keep %') AS removed,
             (SELECT count(DISTINCT run) FROM import_log WHERE at > max(:hour, :since) AND run IS NOT NULL) AS arrived);

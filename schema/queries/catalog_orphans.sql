-- What is said of runs that are not there.
SELECT 'it holds tags of run ' || run || ', which is not there' FROM tag WHERE run NOT IN (SELECT id FROM run) GROUP BY run
UNION ALL
SELECT 'it holds sources of run ' || run || ', which is not there' FROM source WHERE run NOT IN (SELECT id FROM run) GROUP BY run;

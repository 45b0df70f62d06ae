-- The series with the most runs, by name.
SELECT series, runs FROM (SELECT key AS series, runs FROM tally WHERE what = 'series' AND runs > 0 ORDER BY runs DESC LIMIT 1000) ORDER BY series;

-- The tags with the most runs, by name.
SELECT tag FROM (SELECT key AS tag FROM tally WHERE what = 'tag' AND runs > 0 ORDER BY runs DESC LIMIT 1000) ORDER BY tag;

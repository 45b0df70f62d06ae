SELECT who FROM (SELECT key AS who FROM tally WHERE what = 'who' AND runs > 0 ORDER BY runs DESC LIMIT 1000) ORDER BY who;

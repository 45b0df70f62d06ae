SELECT key AS kind, runs FROM tally WHERE what = 'kind' AND runs > 0 ORDER BY runs DESC, key;

SELECT coalesce(sum(runs), 0), coalesce(sum(db_bytes), 0), coalesce(sum(bytes), 0) FROM tally WHERE what = 'all';

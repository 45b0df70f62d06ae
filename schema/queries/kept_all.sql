-- Files of runs, originals and sources of a shelf that several servers share.
SELECT folder, key FROM kept WHERE folder IN ('runs', 'originals', 'sources') ORDER BY folder, key;

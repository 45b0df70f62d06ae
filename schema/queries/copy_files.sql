-- Files of the snapshot, without the originals that were already reported (table told).
SELECT 'runs', id FROM run
UNION ALL SELECT 'originals', sha256 FROM run WHERE NOT EXISTS (SELECT 1 FROM told WHERE folder = 'originals' AND key = run.sha256)
UNION ALL SELECT DISTINCT 'sources', sha256 FROM source;

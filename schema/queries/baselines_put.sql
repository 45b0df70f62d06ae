-- These back into the catalog, as far as their runs are there.
INSERT OR IGNORE INTO baseline(series, run)
SELECT value ->> 0, value ->> 1 FROM json_each(:label) WHERE value ->> 1 IN (SELECT id FROM run);

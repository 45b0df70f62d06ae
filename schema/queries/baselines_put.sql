-- Restores the baselines of labels/baselines.json whose runs exist.
INSERT OR IGNORE INTO baseline(series, run)
SELECT value ->> 0, value ->> 1 FROM json_each(:label) WHERE value ->> 1 IN (SELECT id FROM run);

-- All sources that are attached to a run.
SELECT DISTINCT sha256 FROM source ORDER BY sha256;

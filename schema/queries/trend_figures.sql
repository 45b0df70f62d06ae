-- Names of the metrics in the summary of the run :id. Times of the recording are no metrics.
SELECT key FROM json_each((SELECT summary FROM run WHERE id = :id))
WHERE type IN ('integer', 'real') AND key NOT IN ('committed_us', 'origin_us', 'started_us', 'ended_us') ORDER BY key;

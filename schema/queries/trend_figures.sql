-- Names of the metrics in the summary of the run :id.
SELECT key FROM json_each((SELECT summary FROM run WHERE id = :id)) WHERE type IN ('integer', 'real') ORDER BY key;

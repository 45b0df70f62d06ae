-- Stores in the summary of a run file that is being written what was redacted (:words, a JSON array).
UPDATE meta SET v = json_set(v, '$.redacted', json(:words)) WHERE k = 'summary';

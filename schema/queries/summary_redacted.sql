-- What a shared run was redacted of (:words, a JSON array), into its summary; in a file that is being written.
UPDATE meta SET v = json_set(v, '$.redacted', json(:words)) WHERE k = 'summary';

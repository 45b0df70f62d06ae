-- How many requests the engine serves at the same time, and how many tokens in a step, as it states them.
SELECT json_extract(v, '$.slots'), json_extract(v, '$.step_tokens') FROM meta WHERE k = 'summary';

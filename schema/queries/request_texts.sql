-- What only the answer about the request :id has.
SELECT name, error, position, prompt_tokens, output_tokens, engine_prompt_tokens, engine_output_tokens, cached_tokens, is_estimated
FROM request WHERE id = :id;

-- The greatest id of a text.
SELECT coalesce(max(id), 0) FROM text

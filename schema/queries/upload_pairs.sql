-- The pairs of a JSON array of pairs. :pairs
SELECT value ->> 0, value ->> 1 FROM json_each(:pairs);

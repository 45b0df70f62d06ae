-- The pairs of :pairs, a JSON array of pairs.
SELECT value ->> 0, value ->> 1 FROM json_each(:pairs);

-- The number of names that match, over all tables.
SELECT count(*) FROM name WHERE (:of IS NULL OR of = :of) AND (:q IS NULL OR ps_words(:q, text));

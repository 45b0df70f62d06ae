-- Text ids of a trace that match a search.
SELECT id FROM text WHERE (:q IS NULL OR ps_words(:q, text)) AND (:regex IS NULL OR text REGEXP :regex)

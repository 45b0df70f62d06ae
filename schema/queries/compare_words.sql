-- Whether a row of a comparison with :name, :place and :within passes the text filters.
SELECT (:q IS NULL OR ps_words(:q, :name, :place, :within))
   AND (:regex IS NULL OR :name REGEXP :regex OR :place REGEXP :regex OR :within REGEXP :regex)
   AND (:hide IS NULL OR NOT (:name REGEXP :hide OR :place REGEXP :hide OR :within REGEXP :hide));

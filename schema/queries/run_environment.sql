-- The value of a fact about the environment of a run, as its file states it.
SELECT substr(v, 1, iif(k = 'packages', 100000, 400)) FROM meta WHERE k = :key AND typeof(v) = 'text' AND v <> '';

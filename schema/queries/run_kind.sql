-- The kind of a run, from its own file.
SELECT v FROM meta WHERE k = 'kind'

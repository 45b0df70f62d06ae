-- The kind of a run, from its own run file.
SELECT v FROM meta WHERE k = 'kind'

-- All packages in order of id, with the number of their origin.
SELECT id, name, origin FROM package ORDER BY id;

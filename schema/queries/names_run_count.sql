-- The number of runs on the shelf.
SELECT count(*) FROM run;

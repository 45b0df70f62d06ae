-- How many steps there are.
SELECT count(*) FROM step;

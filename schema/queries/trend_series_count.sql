-- How many runs the series :series has.
SELECT count(*) FROM run WHERE series = :series;

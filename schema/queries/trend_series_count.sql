-- Number of runs of the series :series.
SELECT count(*) FROM run WHERE series = :series;

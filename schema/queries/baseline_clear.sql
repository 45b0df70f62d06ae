-- Removes the baseline of the series :series.
DELETE FROM baseline WHERE series = :series;

-- The baseline of the series :series, if it still belongs to this series.
SELECT b.run FROM baseline b JOIN run r ON r.id = b.run AND r.series = b.series WHERE b.series = :series;

-- The metrics of a result of a client: the measurements :first to :last.
SELECT id, metric, value, unit, statistic, better FROM measurement WHERE id BETWEEN :first AND :last AND metric IS NOT NULL ORDER BY id;

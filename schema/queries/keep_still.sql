-- Whether the run :id still has the number :seq and the series :series, and is no baseline.
SELECT 1 FROM run WHERE id = :id AND seq = :seq AND series = :series AND seq NOT IN (SELECT seq FROM pinned);

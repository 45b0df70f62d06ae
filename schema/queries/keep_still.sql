-- Whether the run :id is the one that was found as :seq of the series :series, and no baseline.
SELECT 1 FROM run WHERE id = :id AND seq = :seq AND series = :series AND seq NOT IN (SELECT seq FROM pinned);

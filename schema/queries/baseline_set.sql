-- Makes the run :id the baseline of its series.
INSERT INTO baseline(series, run) SELECT series, id FROM run WHERE id = :id AND series <> ''
ON CONFLICT(series) DO UPDATE SET run = excluded.run;

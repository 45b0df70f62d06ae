-- Whether the tracks of a run are divided by a label.
SELECT role <> 0 FROM sample_label WHERE key = :key

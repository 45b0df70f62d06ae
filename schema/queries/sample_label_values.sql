-- The most frequent values of a label, with their total of a sample type, the greatest first.
SELECT value, total, samples FROM sample_label_value WHERE label = :label AND sample_type = :sample_type ORDER BY total DESC, samples DESC, value

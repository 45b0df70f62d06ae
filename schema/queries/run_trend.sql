-- Headlines of the runs of a series and kind up to the run with :seq, newest first.
SELECT headline_value, headline_unit, headline_label FROM run WHERE series = :series AND kind = :kind AND seq <= :seq ORDER BY seq DESC LIMIT 16;

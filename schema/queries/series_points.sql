-- The points of the series :id over time.
SELECT t_ns, value FROM ps_counts(:id);

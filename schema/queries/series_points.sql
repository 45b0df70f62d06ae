-- The points of a series over time. :id
SELECT t_ns, value FROM ps_counts(:id);

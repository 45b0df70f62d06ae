-- All baselines, as labels/baselines.json holds them.
SELECT json_group_array(json_array(series, run)) FROM baseline;

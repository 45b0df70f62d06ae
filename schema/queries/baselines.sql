-- All baselines, in the format of labels/baselines.json.
SELECT json_group_array(json_array(series, run)) FROM baseline;

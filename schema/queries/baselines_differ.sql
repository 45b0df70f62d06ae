-- Whether the catalog has a baseline that labels/baselines.json (:label) lacks.
SELECT EXISTS (SELECT series, run FROM baseline EXCEPT SELECT value ->> 0, value ->> 1 FROM json_each(:label));

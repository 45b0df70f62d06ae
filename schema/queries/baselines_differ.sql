-- Whether the catalog has a baseline that is not in labels/baselines.json (:label).
SELECT EXISTS (SELECT series, run FROM baseline EXCEPT SELECT value ->> 0, value ->> 1 FROM json_each(:label));

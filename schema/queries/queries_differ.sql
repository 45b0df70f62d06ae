-- Whether the catalog has a saved query that is not in labels/queries.json (:label).
SELECT EXISTS (SELECT kind, name, sql, who, at FROM saved_query
               EXCEPT SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(:label));

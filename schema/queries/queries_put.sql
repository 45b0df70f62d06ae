-- Restores the saved queries of labels/queries.json.
INSERT OR IGNORE INTO saved_query(kind, name, sql, who, at)
SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(:label);

-- All saved queries, in the format of labels/queries.json.
SELECT json_group_array(json_array(kind, name, sql, who, at)) FROM (SELECT * FROM saved_query ORDER BY id);

-- All saved queries, as labels/queries.json holds them.
SELECT json_group_array(json_array(kind, name, sql, who, at)) FROM (SELECT * FROM saved_query ORDER BY id);

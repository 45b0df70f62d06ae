-- The tables, views and indexes of a run file as one string, with its application_id and user_version.
SELECT coalesce(group_concat(type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, ''), char(10)), '') || char(10) ||
       (SELECT application_id FROM pragma_application_id) || ' ' || (SELECT user_version FROM pragma_user_version)
FROM (SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid);

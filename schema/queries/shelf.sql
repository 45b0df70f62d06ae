SELECT count(*), coalesce(sum(db_bytes), 0), coalesce(sum(bytes), 0) FROM run;

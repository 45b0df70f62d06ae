-- Whether a catalog that is no mirror holds nothing, so that it may become one.
SELECT NOT EXISTS(SELECT 1 FROM run) AND NOT EXISTS(SELECT 1 FROM token) AND NOT EXISTS(SELECT 1 FROM import_log);

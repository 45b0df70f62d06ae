-- Saves :sql as :name for runs of :kind, in place of one of :who, or with :any of anybody; at most :most in all.
INSERT INTO saved_query(kind, name, sql, who, at) SELECT :kind, :name, :sql, :who, :at
WHERE (SELECT count(*) FROM saved_query) < :most OR EXISTS(SELECT 1 FROM saved_query WHERE kind = :kind AND name = :name)
ON CONFLICT(kind, name) DO UPDATE SET sql = excluded.sql, who = excluded.who, at = excluded.at WHERE :any OR who = excluded.who;

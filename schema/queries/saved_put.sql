-- Saves :sql as :name for runs of :kind. Replaces a query of :who, or with :any a query of any user. At most
-- :most queries in total.
INSERT INTO saved_query(kind, name, sql, who, at) SELECT :kind, :name, :sql, :who, :at
WHERE (SELECT count(*) FROM saved_query) < :most OR EXISTS(SELECT 1 FROM saved_query WHERE kind = :kind AND name = :name)
ON CONFLICT(kind, name) DO UPDATE SET sql = excluded.sql, who = excluded.who, at = excluded.at WHERE :any OR who = excluded.who;

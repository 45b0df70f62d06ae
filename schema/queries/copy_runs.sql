-- The next runs of the snapshot `old`, oldest first, and whether this shelf has them.
SELECT o.seq, o.id, o.sha256, o.bytes + o.db_bytes, EXISTS (SELECT 1 FROM main.run m WHERE m.id = o.id AND m.sha256 = o.sha256)
FROM old.run o WHERE o.seq > :after ORDER BY o.seq LIMIT :n;

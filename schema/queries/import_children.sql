-- The :limit largest direct imports of :id.
--
-- column: self_us number, cumulative_us number: as printed
SELECT i.id, i.module, i.self_us, i.cumulative_us, o.word AS origin
FROM import i JOIN package p ON p.id = i.package JOIN origin o ON o.id = p.origin
WHERE i.parent = :id AND NOT i.flags & 1 ORDER BY i.cumulative_us DESC, i.id LIMIT :limit;

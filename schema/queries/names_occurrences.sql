-- The runs that have the name :name of the module :module in the table :of, the newest first.
SELECT r.run, h.self, h.total, p.unit, p.whole, h.self_share, h.total_share, l.row, l.place, h.row_id, h.line, h.rows
FROM name n
JOIN hot h ON h.name = n.id
JOIN indexed_run r ON r.seq = h.seq
JOIN run_part p ON p.seq = h.seq AND p.of = n.of
JOIN place l ON l.id = h.place
WHERE n.of = :of AND n.name = :name AND n.module = :module
ORDER BY h.seq DESC
LIMIT :limit OFFSET :offset;

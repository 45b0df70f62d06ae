-- Names that match :q, with their row in the run where they are hottest. A name that equals :q is first, then those that
-- end with it, then the others; the hottest first.
WITH found AS MATERIALIZED (
    SELECT n.*,
           CASE WHEN lower(n.text) = lower(:q) OR lower(n.name) = lower(:q) THEN 0
                WHEN lower(substr(n.text, -length(:q) - 1)) IN ('.' || lower(:q), '/' || lower(:q), ':' || lower(:q)) THEN 1 ELSE 2 END AS distance
    FROM name n
    WHERE (:of IS NULL OR n.of = :of) AND (:q IS NULL OR ps_words(:q, n.text))
    ORDER BY distance, max(n.self_share, n.total_share) DESC, n.runs DESC, n.id
    LIMIT :limit OFFSET :offset)
SELECT n.of, n.name, n.module, n.runs, n.self_share, n.total_share, l.row, l.place, h.row_id, h.line, r.run
FROM found n
JOIN indexed_run r ON r.seq = n.hottest
JOIN hot h ON h.name = n.id AND h.seq = n.hottest
JOIN place l ON l.id = h.place
ORDER BY n.distance, max(n.self_share, n.total_share) DESC, n.runs DESC, n.id;

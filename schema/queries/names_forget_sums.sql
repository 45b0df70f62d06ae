-- Sums of the names of a run, without the run.
UPDATE name SET (runs, self_share, total_share, hottest) =
    (SELECT count(*), coalesce(max(h.self_share), 0), coalesce(max(h.total_share), 0),
            coalesce((SELECT b.seq FROM hot b WHERE b.name = name.id AND b.seq <> :seq ORDER BY max(b.self_share, b.total_share) DESC, b.seq LIMIT 1), 0)
     FROM hot h WHERE h.name = name.id AND h.seq <> :seq)
WHERE id IN (SELECT name FROM hot WHERE seq = :seq);

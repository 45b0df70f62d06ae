-- Restores the deleted run :id as the baseline of its series, unless the series has another baseline by now.
INSERT INTO baseline(series, run) SELECT series, id FROM deleted_run WHERE id = :id AND baseline
ON CONFLICT(series) DO UPDATE SET run = excluded.run WHERE run NOT IN (SELECT r.id FROM pinned p JOIN run r ON r.seq = p.seq);

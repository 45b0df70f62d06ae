-- Adds a note at :t_ns to the run :run, if the run has less than :most notes.
INSERT INTO timeline_note(run, id, t_ns, area, text, who, at) SELECT id, lower(hex(randomblob(6))), :t_ns, :area, :text, :who, :at
FROM run r WHERE id = :run AND (SELECT count(*) FROM timeline_note WHERE run = r.id) < :most RETURNING id;

-- Adds the notes on the timeline of the run :id in the snapshot `old`; its own notes are already deleted.
INSERT INTO main.timeline_note SELECT * FROM old.timeline_note WHERE run = :id AND EXISTS (SELECT 1 FROM main.run WHERE id = :id);

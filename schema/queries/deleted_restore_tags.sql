-- Restores the tags of the deleted run :id.
INSERT OR REPLACE INTO tag(run, k, v) SELECT :id, value ->> 0, value ->> 1 FROM json_each((SELECT tags FROM deleted_run WHERE id = :id));

-- Records the removal of a run, before its row is deleted.
INSERT INTO removal_log(at, run, kind, name, who) SELECT :at, id, kind, name, :who FROM run WHERE id = :id;

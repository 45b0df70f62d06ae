-- Before the run's row goes.
INSERT INTO removal_log(at, run, kind, name, who) SELECT :at, id, kind, name, :who FROM run WHERE id = :id;

-- Records that the deleted run :id was the baseline of its series.
UPDATE deleted_run SET baseline = 1 WHERE id = :id;

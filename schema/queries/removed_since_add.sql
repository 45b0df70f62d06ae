-- Records for all pending uploads that the run :id was removed, so that they do not restore it.
INSERT OR IGNORE INTO removed_since(upload, run) SELECT id, :id FROM upload;

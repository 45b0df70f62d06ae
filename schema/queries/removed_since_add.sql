-- The run :id is removed: uploads that wait do not bring it back.
INSERT OR IGNORE INTO removed_since(upload, run) SELECT id, :id FROM upload;

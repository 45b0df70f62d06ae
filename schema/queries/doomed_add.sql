-- Records a file of the operation :owner. If no row refers to the file when the operation has ended, the file is
-- deleted.
INSERT OR IGNORE INTO doomed(owner, folder, key) VALUES (:owner, :folder, :key);

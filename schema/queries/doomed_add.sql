-- Records a file to delete, unless a row refers to it when :owner has finished its operation.
INSERT OR IGNORE INTO doomed(owner, folder, key) VALUES (:owner, :folder, :key);

-- A file that is to go unless a row refers to it when :owner has done what it is about to do.
INSERT OR IGNORE INTO doomed(owner, folder, key) VALUES (:owner, :folder, :key);

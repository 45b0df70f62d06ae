-- Copies the current catalog into a new file :path.
VACUUM INTO :path;

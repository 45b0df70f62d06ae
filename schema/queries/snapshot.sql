-- Copies the catalog into the new file :path.
VACUUM INTO :path;

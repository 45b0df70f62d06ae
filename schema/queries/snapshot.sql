-- The catalog as it is now, into a new file :path.
VACUUM INTO :path;

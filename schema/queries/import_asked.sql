-- Whether a log lists imports of modules that were already loaded.
SELECT EXISTS(SELECT 1 FROM import WHERE flags & 1);

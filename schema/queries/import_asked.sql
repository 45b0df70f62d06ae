-- Whether a log tells who asked for what was loaded already.
SELECT EXISTS(SELECT 1 FROM import WHERE flags & 1);

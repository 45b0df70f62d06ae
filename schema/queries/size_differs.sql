-- Whether the recorded size of the file :key of :folder is not :bytes, or is missing. A shelf of 0.1.0 that was never served has no sizes.
SELECT NOT EXISTS (SELECT 1 FROM kept_size WHERE folder = :folder AND sha256 = :key AND bytes = :bytes) AND EXISTS (SELECT 1 FROM kept_size);

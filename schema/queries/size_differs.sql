-- Whether the recorded size of the file :key of :folder is not :bytes.
SELECT EXISTS (SELECT 1 FROM kept_size WHERE folder = :folder AND sha256 = :key AND bytes <> :bytes);

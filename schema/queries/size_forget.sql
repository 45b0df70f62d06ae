DELETE FROM kept_size WHERE folder = :folder AND sha256 = :sha256;

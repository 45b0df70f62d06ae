DELETE FROM kept WHERE folder = :folder AND key = :key;

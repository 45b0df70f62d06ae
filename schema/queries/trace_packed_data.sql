SELECT data FROM packed_column WHERE id = :id;

-- A column of packed rows; id: packed * 16 + column.
SELECT data FROM packed_column WHERE id = :id

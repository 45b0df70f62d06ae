-- The same of packed rows.
SELECT d.data, p.n FROM packed_column d LEFT JOIN packed p ON p.id = d.id / 16;

INSERT INTO token(id, name, role, hash, created_at) VALUES (:id, :name, :role, :hash, :at) ON CONFLICT(name) DO NOTHING RETURNING 1;

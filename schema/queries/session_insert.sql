INSERT INTO session(id, token, hash, expires_at) VALUES (:id, :token, :hash, :expires_at);

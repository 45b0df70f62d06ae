SELECT name, role, created_at, used_at, (SELECT count(*) FROM session WHERE token = token.id AND expires_at > :at) FROM token ORDER BY name;

DELETE FROM session WHERE expires_at <= :at;

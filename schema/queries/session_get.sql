-- Who is behind a session; its token may have been revoked.
SELECT session.hash, token.name, token.role FROM session JOIN token ON token.id = session.token WHERE session.id = :id AND session.expires_at > :at;

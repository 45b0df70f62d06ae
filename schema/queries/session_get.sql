-- The token of an unexpired login session; no row if the token was revoked.
SELECT session.hash, token.name, token.role FROM session JOIN token ON token.id = session.token WHERE session.id = :id AND session.expires_at > :at;

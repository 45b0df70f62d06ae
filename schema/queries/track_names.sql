-- What a track is called: (name, tid).
SELECT name, tid FROM track WHERE id = :id

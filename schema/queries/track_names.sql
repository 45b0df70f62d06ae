-- Name and tid of a track.
SELECT name, tid FROM track WHERE id = :id

-- The tracks of a sample type (0: all of a run without sample types), whether their values are below 0. threads: a JSON
-- array of ids of tracks; tracks of other sample types stand for the same thread, which has the same place among its
-- tracks. labels: a JSON array of pairs of key and value, of which a track needs one for each key. Empty arrays select all.
WITH wanted AS (SELECT json_extract(value, '$[0]') AS key, json_extract(value, '$[1]') AS value FROM json_each(:labels)),
labelled AS (
    SELECT l.track FROM track_label l JOIN sample_label k ON k.id = l.label JOIN wanted w ON w.key = k.key AND w.value = l.value
    GROUP BY l.track HAVING count(DISTINCT w.key) = (SELECT count(DISTINCT key) FROM wanted)
)
SELECT id, is_negative FROM track
WHERE sample_type = :sample_type
  AND (json_array_length(:threads) = 0
       OR CASE :sample_type WHEN 0 THEN id IN (SELECT value FROM json_each(:threads))
               ELSE sort IN (SELECT sort FROM track WHERE id IN (SELECT value FROM json_each(:threads))) END)
  AND (json_array_length(:labels) = 0 OR id IN (SELECT track FROM labelled))
ORDER BY id

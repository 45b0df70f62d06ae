-- Runs of other kinds that were recorded while the run :id was, from :start to :end (us since 1970), the most likely ones first: those that
-- overlap it for at least half of the shorter recording, then those of its series and with more of its tags.
WITH other AS (
    SELECT seq, id, name, kind, series, created_at, series <> '' AND series = (SELECT series FROM run WHERE id = :id) AS same_series,
           json_extract(summary, '$.started_us') AS started_us, json_extract(summary, '$.ended_us') AS ended_us
    FROM run
    WHERE kind <> (SELECT kind FROM run WHERE id = :id)
      AND json_extract(summary, '$.started_us') <= :end AND json_extract(summary, '$.ended_us') >= :start),
pair AS (
    SELECT *, min(ended_us, :end) - max(started_us, :start) AS overlap_us, min(ended_us - started_us, :end - :start) AS shorter_us,
           (SELECT json_group_object(t.k, t.v) FROM tag t JOIN tag own ON own.run = :id AND own.k = t.k AND own.v = t.v WHERE t.run = other.id) AS tags
    FROM other)
SELECT id, name, kind, series, strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch') AS created_at,
       started_us, ended_us, overlap_us, same_series, tags
FROM pair
ORDER BY 2 * overlap_us >= shorter_us DESC, same_series + (SELECT count(*) FROM json_each(tags)) DESC, overlap_us DESC, seq DESC
LIMIT 20;

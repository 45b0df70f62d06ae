-- Adds a resumable upload, unless :who already has :most resumable uploads.
INSERT INTO partial(id, file, who, at)
SELECT :id, :file, :who, :at WHERE (SELECT count(*) FROM partial WHERE who = :who) < :most
RETURNING id;

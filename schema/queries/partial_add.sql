-- Starts a resumable upload, unless :who has :most of them.
INSERT INTO partial(id, file, who, at)
SELECT :id, :file, :who, :at WHERE (SELECT count(*) FROM partial WHERE who = :who) < :most
RETURNING id;

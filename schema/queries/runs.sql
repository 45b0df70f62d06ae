-- Runs on the shelf. For the head's words see imports.sql.
--
-- sort: created_at desc created_at, id
-- sort: name asc name
-- sort: kind asc kind, name
-- sort: series asc series, id
-- sort: headline desc headline_value
-- sort: bytes desc bytes
-- sort: who asc who
-- sort: rows desc rows
SELECT seq AS id, id AS run, kind, name, series, who, tool, tool_version, created_at, headline_value, headline_unit, headline_label, bytes, db_bytes,
       sha256, rows, ledger_unit, read, stored, repaired, rejected, other, summary,
       EXISTS (SELECT 1 FROM baseline b WHERE b.series = r.series AND b.run = r.id) AS baseline
FROM run r
WHERE (:row IS NULL OR id = :row)
  AND (:kind IS NULL OR kind = :kind)
  AND (:series IS NULL OR series = :series)
  AND (:who IS NULL OR who = :who)
  AND (:tag IS NULL OR EXISTS (SELECT 1 FROM tag t WHERE t.run = r.id AND t.k || '=' || t.v = :tag))
  AND (:q IS NULL OR ps_words(:q, name, series, kind, who, (SELECT group_concat(k || '=' || v, ' ') FROM tag t WHERE t.run = r.id)))

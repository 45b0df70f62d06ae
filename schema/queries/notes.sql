-- The notes of the ledger. Header keys: see imports.sql.
--
-- column: id, severity string: `info`, `warning`, `repaired` or `rejected`
-- column: byte_offset, line: position in the file; null if the note is about the whole file
-- column: what: the note
-- sort: id asc id
-- sort: severity asc severity
-- sort: byte_offset asc byte_offset
-- sort: line asc line
-- sort: what asc what
-- of: SELECT count(*) FROM note
SELECT id, severity, byte_offset, line, what
FROM notes
WHERE (:q IS NULL OR ps_words(:q, what, severity))
  AND (:regex IS NULL OR what REGEXP :regex)
  AND (:severity IS NULL OR severity = :severity)

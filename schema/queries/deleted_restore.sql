-- The row of the deleted run :id, as it was.
INSERT INTO run(id, seq, sha256, kind, name, series, who, tool, tool_version, created_at, headline_value, headline_unit, headline_label,
    bytes, db_bytes, rows, ledger_unit, read, stored, repaired, rejected, other, summary)
SELECT id, seq, sha256, kind, name, series, who, tool, tool_version, created_at, headline_value, headline_unit, headline_label,
    bytes, db_bytes, rows, ledger_unit, read, stored, repaired, rejected, other, summary
FROM deleted_run
WHERE id = :id;

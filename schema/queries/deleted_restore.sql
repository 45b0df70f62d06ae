-- Restores the row of the deleted run :id; it gets a new seq if another run has its old one.
INSERT INTO run(id, seq, sha256, kind, name, series, who, tool, tool_version, created_at, headline_value, headline_unit, headline_label,
    bytes, db_bytes, rows, ledger_unit, read, stored, repaired, rejected, other, summary, first_layout, note)
SELECT id, CASE WHEN NOT EXISTS (SELECT 1 FROM run r WHERE r.seq = deleted_run.seq) THEN seq END, sha256, kind, name, series, who, tool, tool_version, created_at, headline_value, headline_unit, headline_label,
    bytes, db_bytes, rows, ledger_unit, read, stored, repaired, rejected, other, summary, first_layout, note
FROM deleted_run
WHERE id = :id;

-- Inserts a published run and returns its name. If the run exists (`perfshelf renew`), updates the columns that are
-- derived from the run file, but no column that users edit.
INSERT INTO run(id, sha256, kind, name, series, who, tool, tool_version, created_at, headline_value, headline_unit, headline_label,
                bytes, db_bytes, rows, ledger_unit, read, stored, repaired, rejected, other, summary, first_layout, note)
VALUES (:id, :sha256, :kind, :name, :series, :who, :tool, :tool_version, :created_at, :headline_value, :headline_unit, :headline_label,
        :bytes, :db_bytes, :stored + :repaired, :ledger_unit, :read, :stored, :repaired, :rejected, :other, :summary, :first_layout, coalesce(:note, ''))
ON CONFLICT(sha256) DO UPDATE SET kind = excluded.kind, tool = excluded.tool, tool_version = excluded.tool_version,
    headline_value = excluded.headline_value, headline_unit = excluded.headline_unit, headline_label = excluded.headline_label,
    db_bytes = excluded.db_bytes, rows = excluded.rows, ledger_unit = excluded.ledger_unit, read = excluded.read,
    stored = excluded.stored, repaired = excluded.repaired, rejected = excluded.rejected, other = excluded.other,
    summary = excluded.summary, first_layout = excluded.first_layout
RETURNING name;

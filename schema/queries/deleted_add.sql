-- Makes the run :id recoverable. The caller deletes its row in run afterwards.
INSERT OR REPLACE INTO deleted_run(id, deleted_at, deleted_by, tags, baseline, seq, sha256, kind, name, series, who, tool, tool_version, created_at, headline_value, headline_unit, headline_label,
    bytes, db_bytes, rows, ledger_unit, read, stored, repaired, rejected, other, summary, first_layout, note)
SELECT id, :at, :who, (SELECT json_group_array(json_array(k, v)) FROM (SELECT k, v FROM tag WHERE run = r.id ORDER BY k)),
    seq IN (SELECT seq FROM pinned), seq, sha256, kind, name, series, who, tool, tool_version, created_at, headline_value, headline_unit, headline_label,
    bytes, db_bytes, rows, ledger_unit, read, stored, repaired, rejected, other, summary, first_layout, note
FROM run r
WHERE id = :id;

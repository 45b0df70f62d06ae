-- One published run.
INSERT INTO run(id, sha256, kind, name, series, who, tool, tool_version, created_at, headline_value, headline_unit, headline_label,
                bytes, db_bytes, rows, ledger_unit, read, stored, repaired, rejected, other, summary)
VALUES (:id, :sha256, :kind, :name, :series, :who, :tool, :tool_version, :created_at, :headline_value, :headline_unit, :headline_label,
        :bytes, :db_bytes, :stored + :repaired, :ledger_unit, :read, :stored, :repaired, :rejected, :other, :summary);

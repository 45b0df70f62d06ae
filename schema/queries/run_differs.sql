-- Which columns of the run :id, which may be deleted, differ from its run file; '' if none does.
SELECT rtrim(iif(sha256 IS :sha256, '', 'sha256, ') || iif(kind IS :kind, '', 'kind, ') || iif(tool IS :tool, '', 'tool, ') ||
    iif(tool_version IS :tool_version, '', 'tool version, ') ||
    iif((headline_value, headline_unit, headline_label) IS (:headline_value, :headline_unit, :headline_label), '', 'headline, ') ||
    iif((bytes, db_bytes) IS (:bytes, :db_bytes), '', 'size, ') ||
    iif((rows, ledger_unit, read, stored, repaired, rejected, other) IS
        (:stored + :repaired, :ledger_unit, :read, :stored, :repaired, :rejected, :other), '', 'ledger, ') ||
    iif(summary IS :summary, '', 'summary, ') || iif(coalesce(first_layout, :first_layout) = :first_layout, '', 'layout, '), ', ')
FROM (SELECT id, sha256, kind, tool, tool_version, headline_value, headline_unit, headline_label, bytes, db_bytes, rows,
             ledger_unit, read, stored, repaired, rejected, other, summary, first_layout FROM run
      UNION ALL
      SELECT id, sha256, kind, tool, tool_version, headline_value, headline_unit, headline_label, bytes, db_bytes, rows,
             ledger_unit, read, stored, repaired, rejected, other, summary, first_layout FROM deleted_run)
WHERE id = :id;

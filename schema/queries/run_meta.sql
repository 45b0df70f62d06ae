-- Metadata of a run file for its row in the catalog; runs in the run file.
SELECT max(v) FILTER (WHERE k = 'sha256'), max(v) FILTER (WHERE k = 'kind'), max(v) FILTER (WHERE k = 'name'),
       max(v) FILTER (WHERE k = 'tool'), max(v) FILTER (WHERE k = 'tool_version'),
       CAST(round((julianday(max(v) FILTER (WHERE k = 'created_at')) - 2440587.5) * 86400000) AS INTEGER),
       max(v) FILTER (WHERE k = 'headline_value'), max(v) FILTER (WHERE k = 'headline_unit'), max(v) FILTER (WHERE k = 'headline_label'),
       max(v) FILTER (WHERE k = 'bytes'), max(v) FILTER (WHERE k = 'ledger_unit'), max(v) FILTER (WHERE k = 'ledger_read'),
       max(v) FILTER (WHERE k = 'ledger_stored'), max(v) FILTER (WHERE k = 'ledger_repaired'), max(v) FILTER (WHERE k = 'ledger_rejected'),
       max(v) FILTER (WHERE k = 'ledger_other'), max(v) FILTER (WHERE k = 'summary'), max(v) FILTER (WHERE k = 'label'),
       max(v) FILTER (WHERE k = 'title'),
       coalesce(max(v) FILTER (WHERE k = 'first_layout'), (SELECT user_version FROM pragma_user_version)),
       max(v) FILTER (WHERE k = 'series'), max(v) FILTER (WHERE k = 'commit')
FROM meta;

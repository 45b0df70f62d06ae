-- shelf_views.sql: what SQL that people type sees of the catalog, beside the views of the runs it names.

-- The public views
CREATE TEMP VIEW runs AS -- every run of the shelf, whether it was named or not
SELECT id AS run, kind, name, series, who, tool, tool_version,
       strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch') AS created_at, -- ISO 8601, UTC
       headline_value, headline_unit, headline_label,
       bytes, db_bytes,                        -- of the original; of the run file
       rows, read, stored, repaired, rejected, -- the ledger
       EXISTS(SELECT 1 FROM main.baseline b WHERE b.run = r.id AND b.series = r.series) AS baseline,
       summary,                                -- JSON: figures of the report's head, by kind
       note                                    -- what a person wrote about it; '' nothing
FROM run r;

CREATE TEMP VIEW tags AS
SELECT run, k AS key, v AS value FROM main.tag;

CREATE TEMP VIEW import_log AS -- every import, failures included
SELECT id, strftime('%Y-%m-%dT%H:%M:%fZ', at / 1000.0, 'unixepoch') AS at,
       name,                                   -- of the file
       who, bytes,
       run,                                    -- NULL: it failed
       code, text, hint, byte_offset,          -- what was wrong; NULL when it went well
       seconds
FROM main.import_log;

CREATE TEMP VIEW removal_log AS -- runs that were taken off the shelf
SELECT id, strftime('%Y-%m-%dT%H:%M:%fZ', at / 1000.0, 'unixepoch') AS at, run, kind, name, who FROM main.removal_log;

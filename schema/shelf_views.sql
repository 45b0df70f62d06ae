-- shelf_views.sql: the views of the catalog for SQL that users write. The views of the selected runs are in run.sql.

-- The public views
CREATE TEMP VIEW runs AS -- all runs of the shelf, not only the selected ones
SELECT id AS run, kind, name, series, who, tool, tool_version,
       strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch') AS created_at, -- ISO 8601, UTC
       headline_value, headline_unit, headline_label,
       bytes, db_bytes,                        -- sizes of the original and of the run file
       rows, read, stored, repaired, rejected, -- the ledger
       EXISTS(SELECT 1 FROM main.baseline b WHERE b.run = r.id AND b.series = r.series) AS baseline,
       summary,                                -- JSON: the metrics at the top of the report, by kind
       note                                    -- written by a user; '' if there is none
FROM run r;

CREATE TEMP VIEW tags AS
SELECT run, k AS key, v AS value FROM main.tag;

CREATE TEMP VIEW import_log AS -- all imports, also failed imports
SELECT id, strftime('%Y-%m-%dT%H:%M:%fZ', at / 1000.0, 'unixepoch') AS at,
       name,                                   -- name of the file
       who, bytes,
       run,                                    -- NULL if the import failed
       code, text, hint, byte_offset,          -- the error; NULL if the import succeeded
       seconds
FROM main.import_log;

CREATE TEMP VIEW removal_log AS -- runs that were deleted
SELECT id, strftime('%Y-%m-%dT%H:%M:%fZ', at / 1000.0, 'unixepoch') AS at, run, kind, name, who FROM main.removal_log;

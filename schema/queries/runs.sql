-- Runs on the shelf. Header keys: see imports.sql.
--
-- sort: created_at desc created_at, id
-- sort: name asc name
-- sort: kind asc kind, name
-- sort: series asc series, id
-- sort: headline desc headline_value
-- sort: bytes desc bytes
-- sort: who asc who
-- sort: rows desc rows
-- where: kind kind = :kind
-- where: kinds instr(:kinds, ',' || kind || ',')
-- where: series series = :series
-- where: who who = :who
-- where: tag k = substr(:tag, 1, instr(:tag, '=') - 1) AND v = substr(:tag, instr(:tag, '=') + 1)
-- where: q seq IN (SELECT seq FROM ps_temp_runs)
SELECT seq AS id, id AS run, kind, name, series, who, tool, tool_version, created_at, headline_value, headline_unit, headline_label, bytes, db_bytes,
       sha256, rows, ledger_unit, read, stored, repaired, rejected, other, summary,
       EXISTS (SELECT 1 FROM baseline b WHERE b.series = r.series AND b.run = r.id) AS baseline, note, first_layout
FROM run r

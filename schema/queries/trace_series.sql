-- Counters of a trace.
--
-- column: unit string?: null if unknown
-- column: least number, greatest number: of its values
SELECT id, process, name, nullif(unit, '') AS unit, least, greatest FROM series ORDER BY process, id

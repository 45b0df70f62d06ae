-- Counters of a trace.
SELECT id, process, name, nullif(unit, '') AS unit, least, greatest FROM series ORDER BY process, id

-- Modules of an import log, for comparison: the first row of each module. schema/query_tables.py reads these
-- header keys, which are not indented:
--   title: TEXT                        title of the table
--   row: WORD                          noun for a row
--   place: WORD                        noun for the place of a row
--   metric: COLUMN UNIT adds|- TEXT    a metric and its title; UNIT -: none; UNIT @headline: the unit of the run's headline;
--                                      adds: the rows sum up to the total
--   budget: COLUMN                     the metric that a budget limits; by default the first
--   has: COLUMN|* SELECT               whether a run has the metric (*: the table); by default it has
--   resolution: COLUMN SELECT          value of the last digit of the metric in a run; by default 0: all digits
-- Columns: name, the metrics, and optionally place, within (the function of a line), line, by (the cause),
-- samples, and id (of the row in the run).
--
-- title: Modules
-- row: module
-- place: package
-- metric: self_us us adds Self time
-- metric: cumulative_us us - Cumulative time
-- budget: cumulative_us
-- resolution: self_us SELECT 1
-- resolution: cumulative_us SELECT 1
SELECT i.id, i.module AS name, p.name AS place, m.module AS by, i.self_us, i.cumulative_us
FROM import i
JOIN package p ON p.id = i.package
LEFT JOIN import m ON m.id = i.importer
WHERE i.flags & 16 AND NOT i.flags & 1

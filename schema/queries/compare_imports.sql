-- Modules of an import log as they are compared: the first row of each. schema/query_tables.py reads the lines of this head, which are
-- written without the indent:
--   title: TEXT                        of the table
--   row: WORD                          what a row is
--   place: WORD                        what its place is
--   metric: COLUMN UNIT adds|- TEXT    a figure; UNIT - none, @headline that of the run's headline; adds: rows sum to the whole
--   budget: COLUMN                     the metric that a budget limits
--   has: COLUMN|* SELECT               whether a run has the metric, or the table at all; without it: yes
--   resolution: COLUMN SELECT          what the last digit of a run's figure stands for; without it: all digits are there
-- Columns: name, the metrics, and where there is such a thing place, within (of lines: the function), line, by (who caused it), samples,
-- id (what the run calls it).
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

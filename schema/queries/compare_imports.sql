-- Modules of an import log, for comparison: the first row of each. A module that was imported again has the self time
-- of all its rows, so that the rows add up. `import a.b` has a second row of a.b if a imports it too: what such a row
-- contains was imported by the first row above it. schema/query_tables.py reads these
-- header keys, which are not indented:
--   title: TEXT                        title of the table
--   row: WORD                          noun for a row
--   place: WORD                        noun for the place of a row
--   metric: COLUMN UNIT adds|- TEXT    a metric and its title; UNIT -: none; UNIT @stacks: the unit of the run's stacks;
--                                      adds: the rows sum up to the total
--   budget: COLUMN                     the metric that a budget limits; by default the first
--   has: COLUMN|* SELECT               whether a run has the metric (*: the table); by default it has
--   recorded: SELECT                   in place of has: *, whether a run recorded the table; runs are compared by it if all did
--   whole: COLUMN SELECT               total of the metric in a run as the tool states it; by default the sum of the rows
--   work: WORD SELECT                  amount of work in a run, such as steps or calls: totals grow with it. Of
--                                      several lines, the first that all runs have counts
--   cut: SELECT                        share of the total below which a run lacks rows, 0 to 1; by default 0: it has all
--   each: step                         the values are those of the mean step of runs that have steps
--   calls: COLUMN COLUMN               per call, the first column is divided by the second
--   resolution: COLUMN SELECT          value of the last digit of the metric in a run; by default 0: all digits
-- Of tables with the work `steps`, :in_steps is 1 if only what starts in the counted steps of the run is asked
-- for. The sums are then divided by their number.
-- Columns: name, the metrics, and optionally place, within (the function of a line), line, by (the cause),
-- and id (of the row in the run). Measurements also have stated (the value if another run has none), resolution,
-- samples, processes (sizes of the processes of the samples), n, stddev, q1, q3, low and high (a 99 % interval of
-- the median), part (1: a further value of what another row measures), better and failed (1: what was measured failed).
--
-- title: Modules
-- row: module
-- place: package
-- metric: self_us us adds Self time
-- metric: cumulative_us us - Cumulative time
-- budget: cumulative_us
-- whole: self_us SELECT json_extract(v, '$.total_us') FROM meta WHERE k = 'summary'
-- resolution: self_us SELECT 1
-- resolution: cumulative_us SELECT 1
WITH RECURSIVE timed AS MATERIALIZED (
    SELECT *, row_number() OVER (PARTITION BY module ORDER BY NOT flags & 16, id) AS nth, total(self_us) OVER (PARTITION BY module) AS all_self_us
    FROM import WHERE NOT flags & 1),
above AS (
    SELECT id, importer FROM timed WHERE nth = 1
    UNION
    SELECT a.id, t.importer FROM above a JOIN timed t ON t.id = a.importer WHERE t.nth > 1)
SELECT i.id, i.module AS name, p.name AS place, m.module AS by, i.all_self_us AS self_us, i.cumulative_us
FROM timed i
JOIN package p ON p.id = i.package
LEFT JOIN (SELECT a.id, t.module FROM above a JOIN timed t ON t.id = a.importer WHERE t.nth = 1) m ON m.id = i.id
WHERE i.nth = 1
ORDER BY i.id

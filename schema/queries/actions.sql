-- Actions timed by the profilers of PyTorch Lightning. Header keys: see imports.sql.
-- share: percent of the section's total, as printed; NULL if the section has no total.
--
-- column: id, section: number of the row, and of its section
-- column: stage string?: FIT, VALIDATE, TEST or PREDICT; null if the file does not contain it
-- column: action: name of the action
-- column: calls, mean_s, total_s: as printed
-- column: share number?: percent of the section's total; null if the section has no total
-- column: report number?: the printed table of its functions
-- column: functions number?, function_calls: number of rows of the printed table, and of the calls that it counts
-- sort: total_s desc total_s
-- sort: id asc id
-- sort: action asc action
-- sort: calls desc calls
-- sort: mean_s desc mean_s
-- sort: share desc share
-- sort: functions desc functions
-- sort: function_calls desc function_calls
-- of: SELECT count(*) FROM action
SELECT * FROM (
    SELECT a.id, a.section, nullif(s.stage, '') AS stage, a.name AS action, a.calls, a.mean_s, a.total_s,
           coalesce(a.pct, 100.0 * a.total_s / nullif(s.total_s, 0)) AS share,
           nullif(a.report, 0) AS report, r.last - r.first + 1 AS functions, r.ncalls AS function_calls
    FROM action a
    JOIN section s ON s.id = a.section
    LEFT JOIN report r ON r.id = a.report
    WHERE (:section IS NULL OR a.section = CAST(:section AS INTEGER)))
WHERE (:q IS NULL OR ps_words(:q, action))
  AND (:regex IS NULL OR action REGEXP :regex)
  AND (:hide IS NULL OR NOT action REGEXP :hide)

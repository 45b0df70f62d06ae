-- Reports in a file of PyTorch Lightning. Header keys: see imports.sql.
--
-- column: id, stage string?: number of the section; FIT, VALIDATE, TEST or PREDICT, or null
-- column: total_s, calls: of its row Total
-- column: actions number, longest_s number?: number of its actions, and total of the longest one
-- sort: id asc id
-- of: SELECT count(*) FROM section
SELECT s.id, nullif(s.stage, '') AS stage, s.total_s, s.calls, count(a.id) AS actions, max(a.total_s) AS longest_s
FROM section s LEFT JOIN action a ON a.section = s.id
GROUP BY s.id

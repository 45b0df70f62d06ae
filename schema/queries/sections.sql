-- Reports in a file of PyTorch Lightning. Header keys: see imports.sql.
--
-- sort: id asc id
-- of: SELECT count(*) FROM section
SELECT s.id, nullif(s.stage, '') AS stage, s.total_s, s.calls, count(a.id) AS actions, max(a.total_s) AS longest_s
FROM section s LEFT JOIN action a ON a.section = s.id
GROUP BY s.id

-- Call paths from the function :root (0: from all roots). They are derived from the sums per caller by the rules
-- in server/runfile/paths.c.
SELECT p.function_id, p.parent_id, f.name, l.path AS file, f.line, p.lo, p.hi, p.self, p.calls, p.certainty, f.origin, p.cut, p.total
FROM ps_paths(:root, :min_share, :depth, :limit) p JOIN function f ON f.id = p.function_id JOIN file l ON l.id = f.file
ORDER BY p.id;

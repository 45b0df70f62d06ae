-- Call paths from :root (0: all roots) that follow from the sums per caller; server/runfile/paths.c describes
-- the rules.
SELECT p.function_id, p.parent_id, f.name, l.path AS file, f.line, p.lo, p.hi, p.self, p.calls, p.certainty, f.origin, p.cut, p.total
FROM ps_paths(:root, :min_share, :depth, :limit) p JOIN function f ON f.id = p.function_id JOIN file l ON l.id = f.file
ORDER BY p.id;

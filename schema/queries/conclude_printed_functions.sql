-- Functions of the printed report of the longest profile: name, calls, own time in s, the time of the profile, what shares are of, and
-- the path of the file, '~' for a built-in function.
-- A generator or comprehension counts for the function above it in its file, if the report has that.
WITH printed AS (
    SELECT f.id, f.file, f.line, f.name, f.ncalls, f.tottime_s, r.seconds, f.name IN ('<genexpr>', '<listcomp>', '<dictcomp>', '<setcomp>', '<lambda>') AS is_part
    FROM (
-- include: longest_report
    ) r
    JOIN function f ON f.id BETWEEN r.first AND r.last
),
owned AS (
    SELECT p.*, coalesce(CASE WHEN p.is_part AND p.line > 0 THEN (
        SELECT o.id FROM printed o WHERE NOT o.is_part AND o.file = p.file AND o.line BETWEEN 1 AND p.line AND o.name <> '<module>'
        ORDER BY o.line DESC, o.id LIMIT 1) END, p.id) AS owner
    FROM printed p
)
SELECT f.name, f.ncalls, total(o.tottime_s), coalesce(f.seconds, total(total(o.tottime_s)) OVER ()), 'of the time',
       (SELECT path FROM file WHERE id = f.file)
FROM owned o JOIN printed f ON f.id = o.owner
GROUP BY o.owner HAVING total(o.tottime_s) > 0 ORDER BY total(o.tottime_s) DESC, f.id;

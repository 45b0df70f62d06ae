-- Runs that have other tags here than in the snapshot `old`.
SELECT o.id, 'kept other tags in --to', '--update overwrites them' FROM old.run o JOIN main.run m ON m.id = o.id
WHERE (SELECT group_concat(quote(k) || quote(v)) FROM (SELECT k, v FROM old.tag WHERE run = o.id ORDER BY k))
    IS NOT (SELECT group_concat(quote(k) || quote(v)) FROM (SELECT k, v FROM main.tag WHERE run = o.id ORDER BY k));

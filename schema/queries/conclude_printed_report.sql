-- The printed report of the longest profile: its number, its title, or '', and the number of reports.
SELECT r.id, r.title, (SELECT count(*) FROM report)
FROM (
-- include: longest_report
) r;

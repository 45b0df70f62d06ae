-- The longest idle gaps.
--
-- column: cause string: `host wait`, `kernel wait` or `other`
-- column: before, after: ids of the slices around it; 0: none
SELECT track, start_ns, end_ns, CASE cause WHEN 0 THEN 'host wait' WHEN 1 THEN 'kernel wait' ELSE 'other' END AS cause, before, after
FROM gap ORDER BY end_ns - start_ns DESC, start_ns LIMIT 10;

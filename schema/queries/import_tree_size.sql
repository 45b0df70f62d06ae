-- How many timed rows there are, and the total of the :limit-th widest (NULL when there are no more).
SELECT count(*), (SELECT total_us FROM import WHERE NOT flags & 1 ORDER BY total_us DESC LIMIT 1 OFFSET :limit)
FROM import WHERE NOT flags & 1;

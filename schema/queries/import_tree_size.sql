-- Number of timed rows, and the total of the row after the :limit largest (NULL if there is none).
SELECT count(*), (SELECT total_us FROM import WHERE NOT flags & 1 ORDER BY total_us DESC LIMIT 1 OFFSET :limit)
FROM import WHERE NOT flags & 1;

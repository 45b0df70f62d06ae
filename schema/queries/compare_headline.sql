-- Of the run :id for the headline of a comparison: the metric of its summary at the JSON path :figure, the
-- recording of `record ab` that it belongs to, and the number of its pair there.
SELECT json_extract(summary, :figure),
       (SELECT t.v FROM tag t WHERE t.run = :id AND t.k = 'ab'),
       (SELECT t.v FROM tag t WHERE t.run = :id AND t.k = 'pair')
FROM run WHERE id = :id;

SELECT series, count(*) AS runs FROM run WHERE series <> '' GROUP BY series ORDER BY series LIMIT 1000;

-- The results of clients, with the number of their requests.
SELECT s.id, s.name, s.parameters, s.first, s.last, (SELECT count(*) FROM request r WHERE r.result = s.id)
FROM serving_result s ORDER BY s.id;

-- Results of clients, with the duration that the client states in s: see server/query/requests/goodput.c.
SELECT s.id, s.name, s.parameters,
       (SELECT max(m.value) FROM measurement m WHERE m.id BETWEEN s.first AND s.last AND m.metric = 'duration' AND m.unit = 's')
FROM serving_result s ORDER BY s.id

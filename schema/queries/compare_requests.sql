-- Requests in the order of their load and of their start: those of clients, or of the engine if no client has any.
-- See server/query/compare/request_times.c.
SELECT id, position, name FROM request
WHERE result > 0 OR NOT EXISTS (SELECT * FROM request WHERE result > 0)
ORDER BY result, id

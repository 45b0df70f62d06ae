-- The ids of the functions that stand in a printed table.
SELECT first, last FROM report WHERE id = :id;

-- First and last function id of a printed table.
SELECT first, last FROM report WHERE id = :id;

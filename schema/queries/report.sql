-- First and last row id of the printed table :id.
SELECT first, last FROM report WHERE id = :id;

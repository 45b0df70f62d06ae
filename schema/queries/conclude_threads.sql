-- Threads of a stack run, and of what its weights are (conclusion/stacks.c).
SELECT t.id, t.name, coalesce((SELECT v FROM meta WHERE k = 'headline_unit'), '') AS unit
FROM track t ORDER BY t.id

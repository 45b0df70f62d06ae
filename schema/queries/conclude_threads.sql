-- Threads of a run of stacks (conclusion/stacks.c).
SELECT id, name FROM track ORDER BY id

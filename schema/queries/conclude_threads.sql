-- Threads of a stack run, and of what its weights are (conclusion/stacks.c).
SELECT t.id, t.name, u.unit
FROM track t, (
-- include: stack_unit
) u ORDER BY t.id

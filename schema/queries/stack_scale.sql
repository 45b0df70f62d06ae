-- Divisor that converts the weights of stacks to their unit, and that unit.
SELECT scale, unit FROM (
-- include: stack_unit
);

-- Divisor that converts the weights of stacks to their unit.
SELECT scale FROM (
-- include: stack_unit
);

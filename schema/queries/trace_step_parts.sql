-- What took the time of the steps, step by step, definition by definition, in the order of the definition.
SELECT step, definition, name, ns FROM step_part ORDER BY step, definition, rowid;

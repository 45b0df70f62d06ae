-- Parts of the time of steps, by step and definition, in the order of the definition.
SELECT step, definition, name, ns FROM step_part ORDER BY step, definition, rowid;

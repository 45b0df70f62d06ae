-- Argument templates with the number of elements of a collective.
SELECT id, text FROM args_template WHERE instr(text, CAST('In msg nelems' AS BLOB));

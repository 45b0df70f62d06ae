-- Templates of arguments that say how much a collective moved.
SELECT id, text FROM args_template WHERE instr(text, CAST('In msg nelems' AS BLOB));

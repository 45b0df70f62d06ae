-- Argument templates with the device usage of a kernel.
SELECT id, text FROM args_template WHERE instr(text, CAST('blocks per SM' AS BLOB)) OR instr(text, CAST('achieved occupancy' AS BLOB));

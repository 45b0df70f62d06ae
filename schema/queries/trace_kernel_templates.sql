-- Templates of arguments that say how a kernel used its device.
SELECT id, text FROM args_template WHERE instr(text, CAST('blocks per SM' AS BLOB)) OR instr(text, CAST('achieved occupancy' AS BLOB));

SELECT id, text, shapes FROM args_template ORDER BY id;

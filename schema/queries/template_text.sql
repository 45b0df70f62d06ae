-- A template of arguments. :id
SELECT text FROM args_template WHERE id = :id;

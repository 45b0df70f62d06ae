-- Texts that are shapes of operators.
SELECT shapes FROM args_template UNION SELECT shapes FROM operator;

-- The number of runs that have the name :name of the module :module in the table :of.
SELECT coalesce(sum(runs), 0) FROM name WHERE of = :of AND name = :name AND module = :module;

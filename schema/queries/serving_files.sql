-- The files of a serving run, and how their clocks were joined.
SELECT id, name, role, tool, method, offset_ns, error_ns, pairs FROM serving_file ORDER BY id;

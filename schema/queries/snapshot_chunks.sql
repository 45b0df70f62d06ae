-- The packed rows of a family and of a device of a memory snapshot: id, number of rows, smallest and largest event. :family, :part
SELECT id, n, start_ns, end_ns FROM packed WHERE family = :family AND part = :part ORDER BY id

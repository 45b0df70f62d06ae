-- How many steps count, their time, and whether they are ProfilerSteps.
SELECT count(*), CAST(total(end_ns - start_ns) AS INTEGER), coalesce(max(name LIKE 'ProfilerStep#%'), 0) FROM step WHERE counted;

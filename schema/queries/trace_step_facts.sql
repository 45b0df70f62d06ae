-- How many steps count, their time, and whether they are ProfilerSteps.
SELECT count(*), coalesce(sum(end_ns - start_ns), 0), coalesce(max(name LIKE 'ProfilerStep#%'), 0) FROM step WHERE counted;

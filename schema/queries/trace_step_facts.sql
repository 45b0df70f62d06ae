-- Number and total time of counted steps, and whether they are ProfilerSteps.
SELECT count(*), CAST(total(end_ns - start_ns) AS INTEGER), coalesce(max(name LIKE 'ProfilerStep#%'), 0) FROM step WHERE counted;

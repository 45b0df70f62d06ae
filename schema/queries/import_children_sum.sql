-- How many direct imports :id has and what they took.
SELECT count(*), coalesce(sum(cumulative_us), 0) FROM import WHERE parent = :id AND NOT flags & 1;

-- Number and time of the direct imports of :id.
SELECT count(*), coalesce(sum(cumulative_us), 0) FROM import WHERE parent = :id AND NOT flags & 1;

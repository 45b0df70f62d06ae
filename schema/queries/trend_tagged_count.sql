-- Number of runs with the tag :key = :value.
SELECT count(*) FROM tag WHERE k = :key AND v = :value;

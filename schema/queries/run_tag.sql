-- The value of the tag :key of the run :id.
SELECT v FROM tag WHERE run = :id AND k = :key;

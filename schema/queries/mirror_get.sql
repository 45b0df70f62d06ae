-- The last transaction that was applied to the mirror, and the name of the store that it mirrors.
SELECT n, store FROM mirror;

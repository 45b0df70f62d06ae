-- How far the mirror has been replicated, and from which store.
SELECT n, store FROM mirror;

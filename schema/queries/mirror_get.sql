-- Where the mirror stands.
SELECT n, store FROM mirror;

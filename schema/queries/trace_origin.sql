-- The ts of the file, in us, that stands for 0.
SELECT v FROM meta WHERE k = 'origin_us'

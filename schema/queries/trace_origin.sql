-- The ts (in us) of the file that is time 0.
SELECT v FROM meta WHERE k = 'origin_us'

-- The run of an original. :sha256
SELECT id FROM run WHERE sha256 = :sha256;

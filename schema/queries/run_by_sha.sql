-- The run of the original :sha256.
SELECT id FROM run WHERE sha256 = :sha256;

-- The file of :key in :folder, on a shelf that several servers share.
SELECT hash, bytes, layout FROM kept WHERE folder = :folder AND key = :key;

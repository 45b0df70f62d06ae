-- The file that stands for :key of :folder, where many servers share the shelf.
SELECT hash, bytes, layout FROM kept WHERE folder = :folder AND key = :key;

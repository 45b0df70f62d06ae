-- The pieces of an upload in order: the numbers at the end of the keys have the same length.
SELECT key FROM kept WHERE folder = 'pieces' AND key > :id || '.' AND key < :id || '/' ORDER BY key;

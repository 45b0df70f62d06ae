-- The pieces of the upload :id in the order of their keys. The numbers at the end of the keys have equal lengths.
SELECT key FROM kept WHERE folder = 'pieces' AND key > :id || '.' AND key < :id || '/' ORDER BY key;

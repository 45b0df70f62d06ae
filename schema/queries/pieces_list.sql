-- The pieces of an upload, in their order: the keys end in numbers of one length.
SELECT key FROM kept WHERE folder = 'pieces' AND key > :id || '.' AND key < :id || '/' ORDER BY key;

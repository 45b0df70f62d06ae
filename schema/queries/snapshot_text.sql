-- A text of a memory snapshot. :id
SELECT text FROM snapshot_text WHERE id = :id
